package hub_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/prompts/dataset/hub"
)

// server is a Hugging Face repository of two small files that can misbehave.
type server struct {
	*httptest.Server
	files    map[string][]byte
	requests []string // "PATH RANGE"
	// mishap answers the n-th request (from 0) itself and returns true, or leaves it to the server.
	mishap func(n int, w http.ResponseWriter, r *http.Request) bool
}

func serve(t *testing.T) (*server, hub.Source) {
	t.Helper()
	test, validation := jsonl(1, 400), jsonl(1001, 5) // a cut in the middle has something to cut
	s := &server{files: map[string][]byte{"data/test.jsonl": test, "data/validation.jsonl": validation}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	source := hub.Source{Name: "mmlu-pro", Repository: "owner/set", Revision: "abc123", Files: []hub.File{
		pin("data/test.jsonl", test), pin("data/validation.jsonl", validation),
	}}
	return s, source
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := len(s.requests)
	path, ok := strings.CutPrefix(r.URL.Path, "/datasets/owner/set/resolve/abc123/")
	s.requests = append(s.requests, strings.TrimSpace(path+" "+r.Header.Get("Range")))
	if s.mishap != nil && s.mishap(n, w, r) {
		return
	}
	if stored, redirected := strings.CutPrefix(r.URL.Path, "/storage/"); redirected {
		path, ok = stored, true
	}
	data := s.files[path]
	if !ok || data == nil {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// cut sends a body's first bytes and drops the connection.
func cut(w http.ResponseWriter, data []byte, after int) {
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	w.Write(data[:after])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// cutFirst is a mishap: the first body is cut.
func (s *server) cutFirst(n int, w http.ResponseWriter, _ *http.Request) bool {
	if n == 0 {
		cut(w, s.files["data/test.jsonl"], 1000)
	}
	return false
}

func pull(t *testing.T, source hub.Source, o hub.Options) dataset.Manifest {
	t.Helper()
	manifest, err := hub.Pull(t.Context(), source, o)
	assert.NilError(t, err)
	return manifest
}

func options(t *testing.T, s *server) hub.Options {
	return hub.Options{
		Endpoint: s.URL, Folder: t.TempDir(), Client: s.Client(),
		Tries: 4, Idle: time.Minute, Pause: backoff.NewConstantBackOff(time.Millisecond),
	}
}

func pin(path string, data []byte) hub.File {
	sum := sha256.Sum256(data)
	return hub.File{Path: path, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
}

func jsonl(first, n int) []byte {
	var b bytes.Buffer
	for id := first; id < first+n; id++ {
		fmt.Fprintf(&b, `{"question_id":%d,"question":"What is %d + 1?","options":["%d","%d"],"answer":"B","category":"sums"}`+"\n",
			id, id, id, id+1)
	}
	return b.Bytes()
}
