package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/cmd/proctor/console"
	"proctor/scripts/tests/sharedtest"
)

// TestALoadedEngineIsPulledAndTaken has a published build come from a server as its publisher's, over a line that is cut once.
func TestALoadedEngineIsPulledAndTaken(t *testing.T) {
	folder := sharedtest.Engine(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the build is named for linux on amd64 here")
	}
	archive := packed(t, folder)
	const name = "llama-b1-bin-ubuntu-x64.tar.gz"
	var ranges []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) != name {
			fmt.Fprintf(w, `{"tag_name": "b1", "assets": [{"name": %q, "size": %d, "digest": "sha256:%x", "browser_download_url": "/files/%s"}]}`,
				name, len(archive), sha256.Sum256(archive), name)
			return
		}
		if ranges = append(ranges, r.Header.Get("Range")); len(ranges) == 1 {
			w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
			_, _ = w.Write(archive[:len(archive)/2])
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(archive))
	}))
	defer server.Close()
	t.Setenv("PROCTOR_ENGINE_RELEASES", server.URL+"/releases")
	t.Setenv("PROCTOR_DATA", t.TempDir())
	t.Chdir(t.TempDir())
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		p := &console.Program{Stdout: &stdout, Stderr: &stderr, Now: time.Now, Args: append([]string{"proctor"}, args...), Exit: func(int) {}}
		code := execute(p)
		assert.Assert(t, code == 0, "%v: exit code %d: %s%s", args, code, &stdout, &stderr)
		return stdout.String() + stderr.String()
	}
	run("engine", "pull")
	assert.Check(t, len(ranges) == 2 && strings.HasPrefix(ranges[1], "bytes="), "asked for %q", ranges)
	list := run("engine", "list")
	assert.Check(t, strings.Contains(list, " b1 "), "listed %s", list)
	run("run", "--engine", "b1", "--limit", "3", "--out", "one")
	run("run", "--engine", "builtin", "--limit", "3", "--out", "other")
	for file, want := range map[string]string{"one": `"version":"llama.cpp `, "other": `(ollama v`} {
		text, err := os.ReadFile(filepath.Join(file, "journal.jsonl"))
		assert.Check(t, err == nil && strings.Contains(string(text), want), "%s does not say %s: %v", file, want, err)
	}
	if said := run("compare", "one", "other"); !strings.Contains(said, "backend.version") {
		t.Errorf("compare does not say that the engine is another one: %s", said)
	}
	if said := run("bundle", "-o", "eval.tar", "--engine", "b1"); !strings.Contains(said, "0 models, llama.cpp ") {
		t.Errorf("packed %s", said)
	}
	run("engine", "remove", "b1")
	run("bundle", "check", "eval.tar")
	if said := run("bundle", "unpack", "eval.tar"); !strings.Contains(said, "proctor engine add proctor-bundle/engines/b1 --name b1\n") {
		t.Errorf("unpacked %s", said)
	}
	run("engine", "add", "proctor-bundle/engines/b1", "--name", "b1")
	run("run", "--resume", "one", "--engine", "b1", "--limit", "4")
	run("engine", "remove", "b1")
}

// packed is a folder's files as an archive of a release.
func packed(t *testing.T, folder string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	to := tar.NewWriter(zipped)
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		content, failed := os.ReadFile(filepath.Join(folder, entry.Name()))
		header := &tar.Header{Typeflag: tar.TypeReg, Name: "llama-b1/" + entry.Name(), Mode: 0o755, Size: int64(len(content))}
		err = errors.Join(err, failed, to.WriteHeader(header))
		_, failed = to.Write(content)
		err = errors.Join(err, failed)
	}
	assert.NilError(t, errors.Join(err, to.Close(), zipped.Close()))
	return out.Bytes()
}
