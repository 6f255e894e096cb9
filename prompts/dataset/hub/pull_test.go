package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

	manifest, err := hub.Pull(t.Context(), source, o)
	assert.NilError(t, err)
	if manifest.Source != "owner/set@abc123" || len(manifest.Splits) != 2 {
		t.Errorf("manifest: %+v", manifest)
	}
	if total := source.Files[0].Size + source.Files[1].Size; last.Done != total || last.Total != total {
		t.Errorf("last progress %+v, want all of %d bytes", last, total)
	}
	set, err := dataset.Open("", dataset.Options{Folder: o.Folder})
	assert.NilError(t, err)
	if set.Name != "mmlu-pro" || len(set.Test) != 400 || len(set.Validation) != 5 {
		t.Errorf("opened %s with %d and %d questions", set.Name, len(set.Test), len(set.Validation))
	}
	if left, _ := filepath.Glob(filepath.Join(o.Folder, ".*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}

	before := len(s.requests)
	if _, err := hub.Pull(t.Context(), source, o); err != nil || len(s.requests) != before {
		t.Errorf("pulling what is imported: error %v, %d requests", err, len(s.requests)-before)
	}
}

func TestPullGoesOnWhereTheConnectionWasCut(t *testing.T) {
	s, source := serve(t)
	s.mishap = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n == 0 {
			cut(w, s.files["data/test.jsonl"], 1000)
		}
		return false
	}
	var notes []string
	o := options(t, s)
	o.Progress = func(p hub.Progress) {
		if p.Note != "" {
			notes = append(notes, p.Note)
		}
	}
	if _, err := hub.Pull(t.Context(), source, o); err != nil {
		t.Fatal(err)
	}
	want := []string{"data/test.jsonl", "data/test.jsonl bytes=1000-", "data/validation.jsonl"}
	if fmt.Sprint(s.requests) != fmt.Sprint(want) {
		t.Errorf("requests %q, want %q", s.requests, want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "trying again") {
		t.Errorf("notes %q, want one that says it tries again", notes)
	}
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
	if _, err := hub.Pull(ctx, source, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want a cancelled context", err)
	}
	o.Progress = nil
	if _, err := hub.Pull(t.Context(), source, o); err != nil {
		t.Fatal(err)
	}
	if s.requests[1] != "data/test.jsonl bytes=2000-" {
		t.Errorf("the second pull asked for %q", s.requests[1])
	}
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
	if _, err := hub.Pull(t.Context(), source, options(t, s)); err != nil {
		t.Fatal(err)
	}
	if got := s.requests[3]; got != "/storage/data/test.jsonl bytes=1000-" {
		t.Errorf("after the cut the storage was asked for %q", got)
	}
}

func TestPullSurvivesServers(t *testing.T) {
	whole := func(s *server) []byte { return s.files["data/test.jsonl"] }
	tests := map[string]func(s *server, n int, w http.ResponseWriter, r *http.Request) bool{
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
			if n == 0 {
				cut(w, whole(s), 1000)
			}
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
	}
	for name, mishap := range tests {
		t.Run(name, func(t *testing.T) {
			s, source := serve(t)
			s.mishap = func(n int, w http.ResponseWriter, r *http.Request) bool { return mishap(s, n, w, r) }
			if _, err := hub.Pull(t.Context(), source, options(t, s)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// unknownHost is a network without names.
type unknownHost struct{}

func (unknownHost) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.DNSError{Err: "no such host", Name: "hub.invalid", IsNotFound: true}
}

func TestPullRefuses(t *testing.T) {
	tests := map[string]struct {
		spoil    func(s *server, source *hub.Source, o *hub.Options)
		want     string
		requests int
	}{
		"files that are not the pinned ones": {
			func(s *server, source *hub.Source, o *hub.Options) {
				s.files["data/test.jsonl"] = bytes.ToUpper(s.files["data/test.jsonl"])
			}, "not the pinned bytes", 1,
		},
		"files of another size": {
			func(s *server, source *hub.Source, o *hub.Options) {
				s.files["data/test.jsonl"] = s.files["data/test.jsonl"][:3000]
			}, "has 3000 bytes", 1,
		},
		"a repository that is not there": {
			func(s *server, source *hub.Source, o *hub.Options) { source.Revision = "gone" }, "404", 1,
		},
		"a server that never works": {
			func(s *server, source *hub.Source, o *hub.Options) {
				s.mishap = func(n int, w http.ResponseWriter, r *http.Request) bool {
					http.Error(w, "no", http.StatusInternalServerError)
					return true
				}
			}, "gave up after 4 attempts", 4,
		},
		"a host that is unknown": {
			func(s *server, source *hub.Source, o *hub.Options) {
				o.Client = &http.Client{Transport: unknownHost{}}
			}, "no such host (gave up after 2 attempts", 0,
		},
		"an endpoint that is no address": {
			func(s *server, source *hub.Source, o *hub.Options) { o.Endpoint = "mirror.local" }, "HF_ENDPOINT", 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, source := serve(t)
			o := options(t, s)
			test.spoil(s, &source, &o)
			_, err := hub.Pull(t.Context(), source, o)
			errortest.Says(t, err, test.want)
			if len(s.requests) != test.requests {
				t.Errorf("%d requests, want %d: %q", len(s.requests), test.requests, s.requests)
			}
			if manifests, _ := dataset.List(o.Folder); len(manifests) > 0 {
				t.Errorf("imported all the same: %+v", manifests)
			}
		})
	}
}

func TestPullReadsEndpointFromTheEnvironment(t *testing.T) {
	s, source := serve(t)
	t.Setenv("HF_ENDPOINT", s.URL+"/")
	o := options(t, s)
	o.Endpoint = ""
	if _, err := hub.Pull(t.Context(), source, o); err != nil {
		t.Fatal(err)
	}
}

func TestPullNeverSaysAPassword(t *testing.T) {
	s, source := serve(t)
	for _, endpoint := range []string{
		"me:pa55word@mirror.local", "ftp://me:pa55word@mirror.local", "http://me:pa55/word@mirror.local", "http://me:pa55word@127.0.0.1:1",
		"http://me:pa55word@mirror.local:http",
	} {
		o := options(t, s)
		o.Endpoint, o.Tries = endpoint, 1
		if _, err := hub.Pull(t.Context(), source, o); err == nil || strings.Contains(err.Error(), "pa55") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

func TestPullKeepsADifferentSetOfTheSameName(t *testing.T) {
	s, source := serve(t)
	o := options(t, s)
	mine := filepath.Join(t.TempDir(), "test.jsonl")
	assert.NilError(t, os.WriteFile(mine, jsonl(7, 3), 0o644))
	if _, err := dataset.Import("mmlu-pro", []string{mine}, dataset.ImportOptions{Options: dataset.Options{Folder: o.Folder}}); err != nil {
		t.Fatal(err)
	}
	_, err := hub.Pull(t.Context(), source, o)
	errortest.Says(t, err, "replace")
	o.Replace = true
	if _, err := hub.Pull(t.Context(), source, o); err != nil {
		t.Fatal(err)
	}
}

func TestPublishedSourcePinsTheFilesOfTheSharedFolder(t *testing.T) {
	for _, file := range hub.MMLUPro.Files {
		data, err := os.ReadFile(sharedtest.Path(t, "data/mmlu-pro/"+filepath.Base(file.Path)))
		assert.NilError(t, err)
		if got := pin(file.Path, data); got != file {
			t.Errorf("pinned %+v, the file is %+v", file, got)
		}
	}
}
