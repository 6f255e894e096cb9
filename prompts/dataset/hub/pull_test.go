package hub_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/prompts/dataset"
	"proctor/prompts/dataset/hub"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

func TestPullDownloadsChecksAndImports(t *testing.T) {
	s, source := serve(t)
	o := options(t, s)
	var last hub.Progress
	o.Progress = func(p hub.Progress) { last = p }

	manifest := pull(t, source, o)
	assert.Check(t, manifest.Source == "owner/set@abc123" && len(manifest.Splits) == 2, "manifest: %+v", manifest)
	total := source.Files[0].Size + source.Files[1].Size
	assert.Check(t, last.Done == total && last.Total == total, "last progress %+v, want all of %d bytes", last, total)
	set, err := dataset.Open("", dataset.Options{Folder: o.Folder})
	assert.NilError(t, err)
	assert.Check(t, set.Name == "mmlu-pro" && len(set.Test) == 400 && len(set.Validation) == 5, "%s", set.Name)
	left, _ := filepath.Glob(filepath.Join(o.Folder, ".*"))
	assert.Check(t, len(left) == 0, "left behind: %s", left)
	before := len(s.requests)
	pull(t, source, o)
	assert.Equal(t, len(s.requests), before, "the server was asked for files that are imported already")
}

func TestPullResumesWhereTheConnectionWasCut(t *testing.T) {
	s, source := serve(t)
	s.mishap = s.cutFirst
	var notes []string
	o := options(t, s)
	o.Progress = func(p hub.Progress) {
		if p.Note != "" {
			notes = append(notes, p.Note)
		}
	}
	pull(t, source, o)
	assert.DeepEqual(t, s.requests, []string{"data/test.jsonl", "data/test.jsonl bytes=1000-", "data/validation.jsonl"})
	assert.Check(t, len(notes) == 1 && strings.Contains(notes[0], "trying again"), "notes %q", notes)
}

func TestPullGoesOnAfterItWasStopped(t *testing.T) {
	s, source := serve(t)
	o := options(t, s)
	ctx, stop := context.WithCancel(t.Context())
	s.mishap = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n == 0 {
			w.Header().Set("Content-Length", fmt.Sprint(len(s.files["data/test.jsonl"])))
			w.Write(s.files["data/test.jsonl"][:2000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return true
		}
		return false
	}
	o.Progress = func(p hub.Progress) {
		if p.Done >= 2000 {
			stop()
		}
	}
	_, err := hub.Pull(ctx, source, o)
	assert.ErrorIs(t, err, context.Canceled)
	o.Progress = nil
	pull(t, source, o)
	assert.Equal(t, s.requests[1], "data/test.jsonl bytes=2000-")
}

// Hugging Face keeps large files elsewhere: every request is redirected, and the range has to arrive there.
func TestPullFollowsRedirectsWithItsRange(t *testing.T) {
	s, source := serve(t)
	s.mishap = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if path, direct := strings.CutPrefix(r.URL.Path, "/datasets/owner/set/resolve/abc123/"); direct {
			http.Redirect(w, r, "/storage/"+path, http.StatusFound)
			return true
		}
		if n == 1 {
			cut(w, s.files["data/test.jsonl"], 1000)
		}
		return false
	}
	pull(t, source, options(t, s))
	assert.Equal(t, s.requests[3], "/storage/data/test.jsonl bytes=1000-")
}

func TestPullSurvivesServers(t *testing.T) {
	whole := func(s *server) []byte { return s.files["data/test.jsonl"] }
	for name, mishap := range map[string]func(s *server, n int, w http.ResponseWriter, r *http.Request) bool{
		"that fail for a while": func(s *server, n int, w http.ResponseWriter, r *http.Request) bool {
			if n < 3 {
				http.Error(w, "later", http.StatusBadGateway)
			}
			return n < 3
		},
		"that ask for patience": func(s *server, n int, w http.ResponseWriter, r *http.Request) bool {
			if n == 0 {
				w.Header().Set("Retry-After", "1")
				http.Error(w, "slowly", http.StatusTooManyRequests)
			}
			return n == 0
		},
		"that cut every connection but bring something each time": func(s *server, n int, w http.ResponseWriter, r *http.Request) bool {
			if n >= 20 {
				return false
			}
			var start int
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &start)
			rest := whole(s)[start:]
			if start > 0 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(whole(s))-1, len(whole(s))))
				w.Header().Set("Content-Length", fmt.Sprint(len(rest)))
				w.WriteHeader(http.StatusPartialContent)
			}
			cut(w, rest, 100)
			return true
		},
		"that know no ranges": func(s *server, n int, w http.ResponseWriter, r *http.Request) bool {
			s.cutFirst(n, w, r)
			r.Header.Del("Range")
			return false
		},
		"that fall silent": func(s *server, n int, w http.ResponseWriter, r *http.Request) bool {
			if n == 0 {
				<-r.Context().Done()
			}
			return n == 0
		},
		"that send a damaged beginning before the cut": func(s *server, n int, w http.ResponseWriter, r *http.Request) bool {
			if n == 0 {
				cut(w, bytes.Repeat([]byte("x"), len(whole(s))), 500)
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, source := serve(t)
			s.mishap = func(n int, w http.ResponseWriter, r *http.Request) bool { return mishap(s, n, w, r) }
			o := options(t, s)
			if name == "that fall silent" {
				o.Idle, o.Tries = 50*time.Millisecond, 100 // where the machine is busy, it may take a second silence for one
			}
			pull(t, source, o)
		})
	}
}

// unknownHost is a network without names.
type unknownHost struct{}

func (unknownHost) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.DNSError{Err: "no such host", Name: "hub.invalid", IsNotFound: true}
}

func TestPullRefuses(t *testing.T) {
	const file = "data/test.jsonl"
	never := func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no", http.StatusInternalServerError)
		return true
	}
	for name, test := range map[string]struct {
		spoil    func(s *server, source *hub.Source, o *hub.Options)
		want     string
		requests int
	}{
		"files that are not the pinned ones": {func(s *server, _ *hub.Source, _ *hub.Options) { s.files[file] = bytes.ToUpper(s.files[file]) },
			"not the pinned bytes", 1},
		"files of another size":          {func(s *server, _ *hub.Source, _ *hub.Options) { s.files[file] = s.files[file][:3000] }, "has 3000 bytes", 1},
		"a repository that is not there": {func(_ *server, source *hub.Source, _ *hub.Options) { source.Revision = "gone" }, "404", 1},
		"a server that never works":      {func(s *server, _ *hub.Source, _ *hub.Options) { s.mishap = never }, "gave up after 4 attempts", 4},
		"a host that is unknown": {func(_ *server, _ *hub.Source, o *hub.Options) { o.Client = &http.Client{Transport: unknownHost{}} },
			"no such host (gave up after 2 attempts", 0},
		"an endpoint that is no address": {func(_ *server, _ *hub.Source, o *hub.Options) { o.Endpoint = "mirror.local" }, "HF_ENDPOINT", 0},
	} {
		s, source := serve(t)
		o := options(t, s)
		test.spoil(s, &source, &o)
		_, err := hub.Pull(t.Context(), source, o)
		errortest.For(t, name, err, test.want)
		assert.Check(t, len(s.requests) == test.requests, "%s: %q", name, s.requests)
		manifests, _ := dataset.List(o.Folder)
		assert.Check(t, len(manifests) == 0, "%s: imported all the same: %+v", name, manifests)
	}
}

func TestPullReadsEndpointFromTheEnvironment(t *testing.T) {
	s, source := serve(t)
	t.Setenv("HF_ENDPOINT", s.URL+"/")
	o := options(t, s)
	o.Endpoint = ""
	pull(t, source, o)
}

func TestPullNeverSaysAPassword(t *testing.T) {
	s, source := serve(t)
	for _, endpoint := range []string{
		"me:pa55word@mirror.local", "ftp://me:pa55word@mirror.local", "http://me:pa55/word@mirror.local", "http://me:pa55word@127.0.0.1:1",
		"http://me:pa55word@mirror.local:http",
	} {
		o := options(t, s)
		o.Endpoint, o.Tries = endpoint, 1
		_, err := hub.Pull(t.Context(), source, o)
		assert.Check(t, err != nil && !strings.Contains(err.Error(), "pa55"), "%s: %v", endpoint, err)
	}
}

func TestPullKeepsADifferentSetOfTheSameName(t *testing.T) {
	s, source := serve(t)
	o := options(t, s)
	mine := filepath.Join(t.TempDir(), "test.jsonl")
	assert.NilError(t, os.WriteFile(mine, jsonl(7, 3), 0o644))
	_, err := dataset.Import("mmlu-pro", mine, dataset.ImportOptions{Options: dataset.Options{Folder: o.Folder}})
	assert.NilError(t, err)
	_, err = hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "replace")
	o.Replace = true
	pull(t, source, o)
}

func TestPublishedSourcePinsTheFilesOfTheSharedFolder(t *testing.T) {
	for _, file := range hub.MMLUPro.Files {
		data, err := os.ReadFile(sharedtest.Path(t, "data/mmlu-pro/"+filepath.Base(file.Path)))
		assert.NilError(t, err)
		assert.Equal(t, pin(file.Path, data), file)
	}
}

// modelScope answers as ModelScope's API does of a repository: its storage has the files, others are an error in JSON.
func modelScope(t *testing.T, s *server) *httptest.Server {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		file := query.Get("FilePath")
		if r.URL.Path != "/api/v1/datasets/owner/set/repo" || query.Get("Source") != "SDK" || query.Get("Revision") != "master" || s.files[file] == nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			w.Write([]byte(`{"Code":10010205001,"Message":"not found","RequestId":"1","Success":false}`))
			return
		}
		http.Redirect(w, r, s.URL+"/storage/"+file, http.StatusFound)
	}))
	t.Cleanup(front.Close)
	return front
}

func TestPullFromModelScope(t *testing.T) {
	s, source := serve(t)
	s.mishap = s.cutFirst
	o := options(t, s)
	o.Endpoint, o.Client = "", nil
	t.Setenv("MODELSCOPE_DOMAIN", modelScope(t, s).URL)
	t.Setenv("HF_ENDPOINT", "http://127.0.0.1:1")
	var err error
	o.Hub, err = hub.Named("modelscope")
	assert.NilError(t, err)
	manifest := pull(t, source, o)
	assert.Check(t, manifest.Source == "owner/set@abc123 from modelscope" && len(manifest.Splits) == 2, "manifest: %+v", manifest)
	assert.Check(t, len(s.requests) == 3 && s.requests[1] == "/storage/data/test.jsonl bytes=1000-", "%q", s.requests)
}

func TestWhatModelScopeHasOtherwiseIsRefused(t *testing.T) {
	s, source := serve(t)
	o := options(t, s)
	o.Hub, o.Endpoint = hub.Hubs[1], modelScope(t, s).URL
	s.files["data/test.jsonl"] = append([]byte(" "), s.files["data/test.jsonl"]...)
	_, err := hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "it is not the pinned one")
	delete(s.files, "data/test.jsonl")
	_, err = hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "404 Not Found")
	t.Setenv("MODELSCOPE_DOMAIN", "ftp://x")
	o.Endpoint = ""
	_, err = hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "mend MODELSCOPE_DOMAIN or unset it")
	_, err = hub.Named("kaggle")
	errortest.Says(t, err, `there is no hub "kaggle"; there are huggingface and modelscope`)
}
