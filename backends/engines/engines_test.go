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
	assert.Check(t, (err == nil || want == 0) && len(left) == want, "%s holds %v, %v", folder, left, err)
}

func names(all []engines.Engine) (names []string) {
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

// TestTheNewestThatOpensAFileIsTaken has builds beside each other that know different architectures.
func TestTheNewestThatOpensAFileIsTaken(t *testing.T) {
	s := store(t)
	for name, is := range map[string]llamatest.StandIn{
		"oldest": {Release: "b7400", Knows: []string{"a"}}, "old": {Release: "b10000", Knows: []string{"a", "b"}},
		"new": {Release: "v0.5.0", Knows: []string{"b"}}, "newer": {Release: "v0.10.0", Knows: []string{"c"}}, "nameless": {Knows: []string{"a"}},
	} {
		build(t, filepath.Join(s.Folder, name), is)
	}
	for architecture, want := range map[string]string{"a": "llama.cpp b10000", "b": "llama.cpp v0.5.0", "c": "llama.cpp v0.10.0", "d": ""} {
		found, err := s.For(t.Context(), gguf.ProbeOf(architecture, ""))
		assert.Check(t, err == nil && (found == nil && want == "" || found != nil && found.Release == want), "%s: %+v, %v", architecture, found, err)
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
	}
}

func TestAFolderThatIsNoEngineIsRefused(t *testing.T) {
	s := store(t)
	build(t, "a/b/c", llamatest.StandIn{})
	for name, want := range map[string]string{
		"a":       "has no libllama.so: give the folder of a built llama.cpp", // and nothing of somewhere below it is taken
		"nowhere": "nowhere is not a folder, and no engine that was pulled (there is none): proctor engine pull fetches one",
	} {
		_, err := s.Find(t.Context(), name)
		errortest.For(t, name, err, want)
	}
}

// pulled pulls a release that has one archive.
func pulled(t *testing.T, s engines.Store, tag, extension string, archive []byte) (engines.Engine, error) {
	t.Helper()
	file := strings.Replace(here(tag, ""), ".tar.gz", extension, 1)
	return s.Pull(t.Context(), tag, "", publish(t, tag, map[string][]byte{file: archive}).from())
}

func TestArchivesAreUnpacked(t *testing.T) {
	s := store(t)
	folder := build(t, "built", llamatest.StandIn{Release: "b9001"})
	for extension, pack := range map[string]func(*testing.T, string, fs.FS) []byte{".tar.gz": tarOf, ".zip": zipOf} {
		for i, prefix := range []string{"llama-b9001/", "package/bins/linux-x64/", "", "../"} {
			kept, err := pulled(t, s, fmt.Sprintf("b%d%d", len(extension), i), extension, pack(t, prefix, os.DirFS(folder)))
			assert.Check(t, err == nil && kept.Release == "llama.cpp b9001", "%s with %q: %+v, %v", extension, prefix, kept, err)
			target, err := os.Readlink(filepath.Join(kept.Folder, "libllama.so.0"))
			assert.Check(t, err == nil && target == "libllama.b9001.so", "%s with %q: the link leads to %q, %v", extension, prefix, target, err)
			library, err := os.ReadFile(filepath.Join(kept.Folder, "libllama.b9001.so"))
			assert.NilError(t, err)
			if extension == ".tar.gz" {
				linked, err := os.ReadFile(filepath.Join(kept.Folder, "libcudart.so.1"))
				assert.Check(t, err == nil && bytes.Equal(linked, library), "a hard link with %q has %d bytes of %d", prefix, len(linked), len(library))
			}
			_, err = os.Stat(filepath.Join(kept.Folder, "llama-cli"))
			assert.Check(t, errors.Is(err, fs.ErrNotExist), "what is no library was taken: %v", err)
		}
	}
	whole := tarOf(t, "x/", os.DirFS(folder))
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"cut":   {whole[:len(whole)/2], "unexpected EOF"},
		"empty": {tarOf(t, "", os.DirFS(t.TempDir())), "has no libllama.so"},
		"out":   {tarOfLinks(t, "../../libllama.so/.."), "has no libllama.so"},
	} {
		_, err := pulled(t, s, "bad", ".tar.gz", test.content)
		errortest.For(t, name, err, test.want)
	}
	t.Setenv("ENGINES_DIFFER", `[{"id": "sums/1", "want": "(A)", "got": "(B)"}]`)
	_, err := pulled(t, s, "wrong", ".tar.gz", whole)
	errortest.Says(t, err, "llama.cpp b9001 computes wrong on this machine: sums/1")
	holds(t, filepath.Join(s.Folder, "wrong"), 0)
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
