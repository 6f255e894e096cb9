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
	if err := errors.Join(err, is.Write(folder)); err != nil {
		t.Fatal(err)
	}
	return folder
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
	if err != nil || kept.Name != "b9000-vulkan" || kept.Release != "llama.cpp b9000" || !slices.Equal(kept.Backends, []string{"cpu", "vulkan"}) {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	if err := os.RemoveAll("build"); err != nil {
		t.Fatal(err)
	}
	all, err := s.List(t.Context())
	if err != nil || len(all) != 1 || all[0].Folder != kept.Folder || !all[0].Kept {
		t.Errorf("listed %+v, %v", all, err)
	}
	found, err := s.Find(t.Context(), "b9000-vulkan")
	if err != nil || found.Folder != kept.Folder {
		t.Errorf("found %+v, %v", found, err)
	}
	_, err = s.Add(t.Context(), "", kept.Folder)
	errortest.For(t, "kept again", err, "an engine b9000-vulkan is kept already: proctor engine remove b9000-vulkan, or give another")
	if err := s.Remove("b9000-vulkan"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(s.Folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	errortest.For(t, "removed twice", s.Remove("b9000-vulkan"), `no engine "b9000-vulkan" is kept`)
}

func TestNothingIsReplacedOrRemovedThatIsNotOurs(t *testing.T) {
	s := store(t)
	folder := build(t, "mine", llamatest.StandIn{})
	theirs := filepath.Join(s.Folder, "theirs", "file")
	if err := errors.Join(os.MkdirAll(filepath.Dir(theirs), 0o755), os.WriteFile(theirs, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"theirs": "is there already, and no engine", "auto": "cannot name an engine", "../up": "cannot name an engine", ".x": "cannot name",
	} {
		_, err := s.Add(t.Context(), name, folder)
		errortest.For(t, name, err, want)
	}
	for _, name := range []string{"theirs", "..", ""} {
		if err := s.Remove(name); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error(err)
	}
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
		if err != nil || found == nil && want != "" || found != nil && found.Release != want {
			t.Errorf("%s: %+v, %v, want %q", architecture, found, err, want)
		}
		if want == "" && len(tried) != 5 {
			t.Errorf("tried %v", names(tried))
		}
	}
	all, err := s.List(t.Context())
	if err != nil || !slices.Equal(names(all)[:2], []string{"npm-2", "npm"}) && len(all) != 5 || all[0].Release != "llama.cpp v0.10.0" ||
		all[3].Release != "llama.cpp b7400" {
		t.Errorf("listed %+v, %v", all, err)
	}
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
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), folder+": "+test.want)) ||
			err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		kept, err := s.Add(t.Context(), name, folder)
		if (err == nil) != (test.want == "") {
			t.Errorf("kept %+v, %v", kept, err)
		}
	}
	if left, err := os.ReadDir(s.Folder); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestAnEngineThatComputesWrongIsNotKept(t *testing.T) {
	s := store(t)
	t.Setenv("ENGINES_DIFFER", `[{"id": "sums/1", "want": "(A)", "got": "(B)"}]`)
	_, err := s.Add(t.Context(), "", build(t, "wrong", llamatest.StandIn{Release: "b9000"}))
	errortest.Says(t, err, "wrong: llama.cpp b9000 computes wrong on this machine: sums/1")
	if left, err := os.ReadDir(s.Folder); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
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
			if err := os.WriteFile(archive, pack(t, prefix, os.DirFS(folder)), 0o644); err != nil {
				t.Fatal(err)
			}
			kept, err := s.Add(t.Context(), name+filepath.Ext(archive), archive)
			if err != nil || kept.Release != "llama.cpp b9001" {
				t.Errorf("%s with %q: %+v, %v", archive, prefix, kept, err)
			}
			if target, err := os.Readlink(filepath.Join(kept.Folder, "libllama.so.0")); err != nil || target != "libllama.b9001.so" {
				t.Errorf("%s with %q: the link leads to %q, %v", archive, prefix, target, err)
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
	} {
		if err := os.WriteFile(name, test.content, 0o644); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
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
		err = errors.Join(err, to.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: prefix + name, Linkname: target}))
	})
	if err := errors.Join(err, to.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
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
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
