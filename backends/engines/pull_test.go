package engines_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/engines"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

// publisher answers as GitHub's API of releases does, for one release; its files are by their names.
type publisher struct {
	*httptest.Server
	tag       string
	files     map[string][]byte
	sums      map[string]string // instead of the right ones
	requested []string          // paths
}

func publish(t *testing.T, tag string, files map[string][]byte) *publisher {
	t.Helper()
	p := &publisher{tag: tag, files: files, sums: map[string]string{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	t.Setenv(engines.PublisherVariable, p.URL+"/repos/o/r/releases")
	return p
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requested = append(p.requested, r.URL.Path)
	switch name := path.Base(r.URL.Path); {
	case r.URL.Path == "/repos/o/r/releases/latest", r.URL.Path == "/repos/o/r/releases/tags/"+p.tag:
		p.describe(w)
	case strings.HasPrefix(r.URL.Path, "/download/") && p.files[name] != nil:
		_, _ = w.Write(p.files[name])
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"Not Found","documentation_url":"https://docs.example/","status":"404"}`)
	}
}

// describe writes a release, with what else the API says of one.
func (p *publisher) describe(w http.ResponseWriter) {
	assets := []map[string]any{}
	for name, content := range p.files {
		sum := sha256.Sum256(content)
		digest, wrong := p.sums[name]
		if !wrong {
			digest = "sha256:" + hex.EncodeToString(sum[:])
		}
		assets = append(assets, map[string]any{
			"url": p.URL + "/repos/o/r/releases/assets/1", "id": 1, "name": name, "label": "", "state": "uploaded",
			"size": len(content), "digest": digest, "download_count": 7, "browser_download_url": p.URL + "/download/" + name,
		})
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"url": p.URL + "/repos/o/r/releases/1", "id": 1, "tag_name": p.tag, "name": p.tag, "draft": false, "prerelease": false,
		"assets": assets, "body": "",
	})
}

// fetch is a download that checks sums and does not resume.
func (p *publisher) fetch(_ context.Context, address, name string, size int64, sum, to string) error {
	response, err := http.Get(address)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if got := sha256.Sum256(content); err == nil && (hex.EncodeToString(got[:]) != sum || int64(len(content)) != size) {
		err = errors.New(name + ": not the pinned bytes")
	}
	return errors.Join(err, os.WriteFile(to, content, 0o644))
}

// here names a build for this machine: "" or "vulkan-" and its like.
func here(tag, variant string) string {
	processor := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return "llama-" + tag + "-bin-ubuntu-" + variant + processor + ".tar.gz"
}

func TestAReleaseIsPulled(t *testing.T) {
	s := store(t)
	archive := func(tag string) []byte {
		return tarOf(t, "s,^,llama-"+tag+"/,", build(t, tag, llamatest.StandIn{Release: tag}))
	}
	runtime := t.TempDir()
	assert.NilError(t, os.WriteFile(filepath.Join(runtime, "libcudart.so.12"), []byte("cuda"), 0o644))
	p := publish(t, "b9900", map[string][]byte{
		here("b9900", ""): archive("b9900"), here("b9900", "vulkan-"): archive("b9901"), here("b9900", "cuda-9.4-"): archive("b9902"),
		here("b9900", "cuda-12.8-"): archive("b9903"), "cudart-" + here("b9900", "cuda-9.4-"): tarOf(t, "s,^,,", runtime),
		"llama-b9900-bin-win-cpu-x64.zip": nil, "llama-b9900-ui.tar.gz": []byte("no"), "llama-b9900-bin-linux-arm64-snapdragon.tar.gz": []byte("no"),
	})
	for _, test := range []struct{ version, kind, name, release string }{
		{"", "", "b9900", "b9900"}, {"b9900", "vulkan", "b9900-vulkan", "b9901"}, {"", "cuda", "b9900-cuda", "b9902"},
	} {
		kept, err := s.Pull(t.Context(), test.version, test.kind, p.fetch)
		assert.Check(t, err == nil && kept.Name == test.name && kept.Release == "llama.cpp "+test.release, "%+v: %+v, %v", test, kept, err)
	}
	_, err := os.Stat(filepath.Join(s.Folder, "b9900-cuda", "libcudart.so.12"))
	assert.NilError(t, err, "what CUDA needs was left out")
	before := len(p.requested)
	kept, err := s.Pull(t.Context(), "b9900", "vulkan", p.fetch)
	assert.Check(t, err == nil && kept.Name == "b9900-vulkan" && len(p.requested) == before+1, "%+v, %v, after %v", kept, err, p.requested[before:])
	holds(t, filepath.Join(s.Folder, ".pull"), 0)
}

func TestAPullThatCannotBeIsRefused(t *testing.T) {
	s := store(t)
	p := publish(t, "b9900", map[string][]byte{here("b9900", ""): []byte("no archive"), here("b9900", "rocm-10.0-"): []byte("x")})
	p.sums[here("b9900", "rocm-10.0-")] = ""
	for _, test := range []struct{ version, kind, want string }{
		{"b1", "", "/repos/o/r/releases/tags/b1: there is no release b1: name one as its publisher does"},
		{"", "vulkan", "release b9900 has no build for vulkan on ubuntu ("},
		{"", "rocm", "its publisher gives no checksum of " + here("b9900", "rocm-10.0-")},
		{"", "", here("b9900", "") + ": neither a .tar.gz nor a .zip"},
	} {
		_, err := s.Pull(t.Context(), test.version, test.kind, p.fetch)
		errortest.For(t, test, err, test.want)
	}
	p.sums[here("b9900", "")] = "sha256:" + strings.Repeat("0", 64)
	_, err := s.Pull(t.Context(), "", "", p.fetch)
	errortest.For(t, "another sum", err, "not the pinned bytes")
	p.tag = "../../up"
	_, err = s.Pull(t.Context(), "", "", p.fetch)
	errortest.For(t, "another place", err, "does not answer as GitHub's API")
	t.Setenv(engines.PublisherVariable, "ftp://x")
	_, err = s.Pull(t.Context(), "", "", p.fetch)
	errortest.For(t, "no address", err, engines.PublisherVariable)
	all, err := s.List(t.Context(), nil)
	assert.Check(t, err == nil && len(all) == 0, "kept %v, %v", names(all), err)
}
