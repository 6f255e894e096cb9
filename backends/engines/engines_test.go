package engines_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

// TestMain is the program that describes engines and tests them, where a test has started it as one.
func TestMain(m *testing.M) {
	switch {
	case os.Args[0] == "describe":
		if err := engines.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "proctor: "+err.Error())
			os.Exit(2)
		}
	case len(os.Args) > 1 && os.Args[1] == "test":
		fmt.Printf(`{"self_test": [{"kernels": "ggml", "engine": "tested", "items": 3, "differences": %s}]}`, os.Getenv("ENGINES_DIFFER"))
	default:
		os.Exit(m.Run())
	}
}

// store has engines in a folder of its own, and nothing is installed.
func store(t *testing.T) engines.Store {
	t.Helper()
	if !llamatest.HasCompiler() {
		t.Skip("needs gcc, on Linux")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", "/usr/bin:/bin")
	t.Setenv("ENGINES_DIFFER", "[]")
	t.Chdir(t.TempDir())
	return engines.Store{Folder: filepath.Join(t.TempDir(), "engines"), Child: []string{"describe"}, Test: []string{"test"}}
}

// build writes a stand-in into a folder below the working directory, and returns the folder.
func build(t *testing.T, folder string, is llamatest.StandIn) string {
	t.Helper()
	folder, err := filepath.Abs(folder)
	assert.NilError(t, errors.Join(err, is.Write(folder)))
	return folder
}

// holds says how many entries a folder must have.
func holds(t *testing.T, folder string, want int) {
	t.Helper()
	left, err := os.ReadDir(folder)
	assert.Check(t, err == nil && len(left) == want, "%s holds %v, %v", folder, left, err)
}

func names(all []engines.Engine) (names []string) {
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

func TestAnEngineIsKeptFoundAndRemoved(t *testing.T) {
	s := store(t)
	folder := build(t, "build/bin", llamatest.StandIn{Release: "b9000", Knows: []string{"llama", "gemma4"}})
	kept, err := s.Add(t.Context(), "", filepath.Dir(filepath.Dir(folder)))
	assert.Assert(t, err == nil && kept.Name == "b9000-vulkan" && kept.Release == "llama.cpp b9000", "kept %+v, %v", kept, err)
	assert.DeepEqual(t, kept.Backends, []string{"cpu", "vulkan"})
	assert.NilError(t, os.RemoveAll("build"))
	all, err := s.List(t.Context())
	assert.Check(t, err == nil && len(all) == 1 && all[0].Folder == kept.Folder && all[0].Kept, "listed %+v, %v", all, err)
	found, err := s.Find(t.Context(), "b9000-vulkan")
	assert.Check(t, err == nil && found.Folder == kept.Folder, "found %+v, %v", found, err)
	_, err = s.Add(t.Context(), "", kept.Folder)
	errortest.For(t, "kept again", err, "an engine b9000-vulkan is kept already: proctor engine remove b9000-vulkan, or give another")
	assert.NilError(t, s.Remove("b9000-vulkan"))
	holds(t, s.Folder, 0)
	errortest.For(t, "removed twice", s.Remove("b9000-vulkan"), `no engine "b9000-vulkan" is kept`)
}

func TestNothingIsReplacedOrRemovedThatIsNotOurs(t *testing.T) {
	s := store(t)
	folder := build(t, "mine", llamatest.StandIn{})
	theirs := filepath.Join(s.Folder, "theirs", "file")
	assert.NilError(t, errors.Join(os.MkdirAll(filepath.Dir(theirs), 0o755), os.WriteFile(theirs, nil, 0o644)))
	for name, want := range map[string]string{
		"theirs": "exists already and is no engine", "auto": "cannot name an engine", "../up": "cannot name an engine", ".x": "cannot name",
	} {
		_, err := s.Add(t.Context(), name, folder)
		errortest.For(t, name, err, want)
	}
	for _, name := range []string{"theirs", "..", ""} {
		assert.Check(t, s.Remove(name) != nil, "%q was removed", name)
	}
	_, err := os.Stat(theirs)
	assert.NilError(t, err)
}

// TestTheNewestThatOpensAFileIsTaken has builds beside each other that know different architectures.
func TestTheNewestThatOpensAFileIsTaken(t *testing.T) {
	s := store(t)
	for name, is := range map[string]llamatest.StandIn{
		"oldest": {Release: "b7400", Knows: []string{"a"}}, "old": {Release: "b10000", Knows: []string{"a", "b"}},
		"new": {Release: "v0.5.0", Knows: []string{"b"}}, "newer": {Release: "v0.10.0", Knows: []string{"c"}}, "nameless": {Knows: []string{"a"}},
	} {
		build(t, "node_modules/@node-llama-cpp/"+name+"/bins/linux-x64", is)
	}
	for architecture, want := range map[string]string{"a": "llama.cpp b10000", "b": "llama.cpp v0.5.0", "c": "llama.cpp v0.10.0", "d": ""} {
		found, tried, err := s.For(t.Context(), gguf.ProbeOf(architecture, ""))
		assert.Check(t, err == nil && (found == nil && want == "" || found != nil && found.Release == want), "%s: %+v, %v", architecture, found, err)
		assert.Check(t, want != "" || len(tried) == 5, "tried %v", names(tried))
	}
	all, err := s.List(t.Context())
	assert.Check(t, err == nil && len(all) == 5 && all[0].Release == "llama.cpp v0.10.0" && all[3].Release == "llama.cpp b7400",
		"listed %+v, %v", all, err)
}

// TestWhatDiesWhileItIsLoadedIsALine has libraries end the process that loads them.
func TestWhatDiesWhileItIsLoadedIsALine(t *testing.T) {
	s := store(t)
	for name, test := range map[string]struct{ code, want string }{
		"abort": {"abort();", "it died while it was loaded: "},
		"fault": {"*(volatile int *) 0 = 1;", "it died while it was loaded: "},
		"exit":  {"_exit(0);", "it ended this program while it was loaded"},
		"print": {`puts("{}"); fflush(stdout);`, ""},
	} {
		folder := build(t, name, llamatest.StandIn{Release: "b9000", OnLoad: test.code})
		_, err := s.Find(t.Context(), folder)
		if test.want == "" {
			assert.NilError(t, err, name)
		} else {
			errortest.For(t, name, err, folder+": "+test.want)
			assert.Check(t, !strings.Contains(fmt.Sprint(err), "\n"), "%s: %v", name, err)
		}
		kept, err := s.Add(t.Context(), name, folder)
		assert.Check(t, (err == nil) == (test.want == ""), "kept %+v, %v", kept, err)
	}
	holds(t, s.Folder, 1)
}

func TestAnEngineThatComputesWrongIsNotKept(t *testing.T) {
	s := store(t)
	t.Setenv("ENGINES_DIFFER", `[{"id": "sums/1", "want": "(A)", "got": "(B)"}]`)
	_, err := s.Add(t.Context(), "", build(t, "wrong", llamatest.StandIn{Release: "b9000"}))
	errortest.Says(t, err, "wrong: llama.cpp b9000 computes wrong on this machine: sums/1")
	holds(t, s.Folder, 0)
}

func TestAFolderThatIsNoEngineIsRefused(t *testing.T) {
	s := store(t)
	build(t, "a/b/c", llamatest.StandIn{})
	for name, want := range map[string]string{
		"a":       "has no libllama.so: give the folder of a built llama.cpp", // and nothing of somewhere below it is taken
		"nowhere": "nowhere is not a folder, and no engine of this machine (which has none): proctor engine pull fetches one",
	} {
		_, err := s.Find(t.Context(), name)
		errortest.For(t, name, err, want)
	}
}

func TestArchivesAreUnpacked(t *testing.T) {
	s := store(t)
	folder := build(t, "built", llamatest.StandIn{Release: "b9001"})
	for archive, pack := range map[string]func(*testing.T, string, fs.FS) []byte{"a.tar.gz": tarOf, "a.zip": zipOf} {
		for prefix, name := range map[string]string{"llama-b9001/": "long", "package/bins/linux-x64/": "npm", "": "flat"} {
			assert.NilError(t, os.WriteFile(archive, pack(t, prefix, os.DirFS(folder)), 0o644))
			kept, err := s.Add(t.Context(), name+filepath.Ext(archive), archive)
			assert.Check(t, err == nil && kept.Release == "llama.cpp b9001", "%s with %q: %+v, %v", archive, prefix, kept, err)
			target, err := os.Readlink(filepath.Join(kept.Folder, "libllama.so.0"))
			assert.Check(t, err == nil && target == "libllama.b9001.so", "%s with %q: the link leads to %q, %v", archive, prefix, target, err)
			if archive == "a.tar.gz" {
				library, err := os.ReadFile(filepath.Join(kept.Folder, "libllama.b9001.so"))
				linked, failed := os.ReadFile(filepath.Join(kept.Folder, "libcudart.so.1"))
				assert.NilError(t, errors.Join(err, failed))
				assert.Check(t, len(library) > 0 && bytes.Equal(linked, library), "a hard link with %q has %d bytes of %d", prefix, len(linked), len(library))
			}
		}
	}
	whole := tarOf(t, "x/", os.DirFS(folder))
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"text":  {[]byte("<html>"), "text: neither a .tar.gz nor a .zip"},
		"cut":   {whole[:len(whole)/2], "cut: "},
		"empty": {tarOf(t, "", os.DirFS(t.TempDir())), "empty has no libllama.so"},
		"out":   {tarOf(t, "../", os.DirFS(folder)), `would lie outside of the folder`},
		"to":    {tarOfLinks(t, "../out"), `its entry "../out" would lie outside of the folder`},
		"ahead": {tarOfLinks(t, "later"), `damaged: its entry "libcudart.so.1" is a link to "later", which is no file before it`},
	} {
		assert.NilError(t, os.WriteFile(name, test.content, 0o644))
		_, err := s.Add(t.Context(), "bad", name)
		errortest.For(t, name, err, test.want)
	}
}

// each hands over a folder's files, then a link to its libllama.
func each(t *testing.T, files fs.FS, file func(name string, content []byte), link func(name, target string)) {
	t.Helper()
	entries, err := fs.ReadDir(files, ".")
	for _, entry := range entries {
		content, failed := fs.ReadFile(files, entry.Name())
		file(entry.Name(), content)
		err = errors.Join(err, failed)
	}
	assert.NilError(t, err)
	if at := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "libllama.") }); at >= 0 {
		link("libllama.so.0", entries[at].Name())
	}
}

func tarOf(t *testing.T, prefix string, files fs.FS) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	to := tar.NewWriter(packed)
	var err error
	each(t, files, func(name string, content []byte) {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: prefix + name, Mode: 0o755, Size: int64(len(content))}
		failed := to.WriteHeader(header)
		_, more := to.Write(content)
		err = errors.Join(err, failed, more)
	}, func(name, target string) {
		err = errors.Join(err, to.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: prefix + name, Linkname: target}),
			to.WriteHeader(&tar.Header{Typeflag: tar.TypeLink, Name: prefix + "libcudart.so.1", Linkname: prefix + target}))
	})
	assert.NilError(t, errors.Join(err, to.Close(), packed.Close()))
	return out.Bytes()
}

// tarOfLinks has nothing but a hard link.
func tarOfLinks(t *testing.T, target string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	to := tar.NewWriter(packed)
	err := to.WriteHeader(&tar.Header{Typeflag: tar.TypeLink, Name: "libcudart.so.1", Linkname: target})
	assert.NilError(t, errors.Join(err, to.Close(), packed.Close()))
	return out.Bytes()
}

func zipOf(t *testing.T, prefix string, files fs.FS) []byte {
	t.Helper()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	var err error
	add := func(name string, mode fs.FileMode, content []byte) {
		header := &zip.FileHeader{Name: prefix + name, Method: zip.Deflate}
		header.SetMode(mode)
		entry, failed := to.CreateHeader(header)
		if err = errors.Join(err, failed); err == nil {
			_, err = entry.Write(content)
		}
	}
	each(t, files, func(name string, content []byte) { add(name, 0o755, content) },
		func(name, target string) { add(name, fs.ModeSymlink|0o777, []byte(target)) })
	assert.NilError(t, errors.Join(err, to.Close()))
	return out.Bytes()
}
