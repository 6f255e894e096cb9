package engines_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/child"
	"proctor/backends/embedded/selftest"
	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

// TestMain is the child that describes engines and tests them, too.
func TestMain(m *testing.M) {
	child.Main(append(engines.Tasks,
		child.Answering(selftest.Task.Name, func(o llamacpp.Options, _ func(string)) (v selftest.Verdict, err error) {
			v = selftest.Verdict{Kernels: o.Kernels, Engine: "tested", Items: 3}
			return v, json.Unmarshal([]byte(os.Getenv("ENGINES_DIFFER")), &v.Differences)
		}))...)
	os.Exit(m.Run())
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
	return engines.Store{Folder: filepath.Join(t.TempDir(), "engines")}
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
		found := ""
		all, err := s.List(t.Context(), gguf.ProbeOf(architecture, ""))
		if newest := slices.IndexFunc(all, func(e engines.Engine) bool { return e.Opens }); newest >= 0 {
			found = all[newest].Release
		}
		assert.Check(t, err == nil && found == want, "%s: %+v, %v", architecture, all, err)
	}
	all, err := s.List(t.Context(), nil)
	assert.Check(t, err == nil && len(all) == 5 && all[0].Release == "llama.cpp v0.10.0" && all[3].Release == "llama.cpp b7400",
		"listed %+v, %v", all, err)
}

// TestWhatDiesWhileItIsLoadedIsALine has libraries end the process that loads them.
func TestWhatDiesWhileItIsLoadedIsALine(t *testing.T) {
	s := store(t)
	for name, test := range map[string]struct{ code, want string }{
		"abort": {"abort();", "it died while it was loaded: "},
		"fault": {"*(volatile int *) 0 = 1;", "it died while it was loaded: "},
		"exit":  {"_exit(0);", "it died while it was loaded: it ended before it had answered"},
		"print": {`puts("{}"); fflush(stdout);`, ""},
	} {
		folder := build(t, name, llamatest.StandIn{Release: "b9000", OnLoad: test.code})
		_, err := s.Find(t.Context(), folder, nil)
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
		_, err := s.Find(t.Context(), name, nil)
		errortest.For(t, name, err, want)
	}
}

// pulled pulls a release that has one archive.
func pulled(t *testing.T, s engines.Store, tag, extension string, archive []byte) (engines.Engine, error) {
	t.Helper()
	file := strings.Replace(here(tag, ""), ".tar.gz", extension, 1)
	return s.Pull(t.Context(), tag, "", publish(t, tag, map[string][]byte{file: archive}).fetch)
}

func TestArchivesAreUnpacked(t *testing.T) {
	s := store(t)
	folder := build(t, "built", llamatest.StandIn{Release: "b9001"})
	in := func(folder, name string) string { return filepath.Join(folder, name) }
	const first = "libllama.b9001.so"
	assert.NilError(t, errors.Join(os.WriteFile(in(folder, "llama-cli"), nil, 0o755),
		os.Symlink(first, in(folder, "libllama.so.0")), os.Link(in(folder, first), in(folder, "libcudart.so.1"))))
	under := func(t *testing.T, prefix, folder string) []byte { return tarOf(t, "flags=rh;s,^,"+prefix+",", folder) }
	for extension, pack := range map[string]func(t *testing.T, prefix, folder string) []byte{".tar.gz": under,
		".zip": zipOf} {
		for i, prefix := range []string{"llama-b9001/", "package/bins/linux-x64/", "", "../"} {
			kept, err := pulled(t, s, fmt.Sprintf("b%d%d", len(extension), i), extension, pack(t, prefix, folder))
			assert.Check(t, err == nil && kept.Release == "llama.cpp b9001", "%s with %q: %+v, %v", extension, prefix, kept, err)
			target, err := os.Readlink(in(kept.Folder, "libllama.so.0"))
			assert.Check(t, err == nil && target == first, "%s with %q: the link leads to %q, %v", extension, prefix, target,
				err)
			library, err := os.ReadFile(in(kept.Folder, first))
			assert.NilError(t, err)
			linked, err := os.ReadFile(in(kept.Folder, "libcudart.so.1"))
			assert.Check(t, err == nil && bytes.Equal(linked, library), "a hard link with %q has %d bytes of %d", prefix,
				len(linked), len(library))
			_, err = os.Stat(in(kept.Folder, "llama-cli"))
			assert.Check(t, errors.Is(err, fs.ErrNotExist), "what is no library was taken: %v", err)
		}
	}
	whole, none := under(t, "x/", folder), t.TempDir()
	assert.NilError(t, errors.Join(os.WriteFile(in(none, "a"), nil, 0o755),
		os.Link(in(none, "a"), in(none, "libcudart.so.1"))))
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"cut":   {whole[:len(whole)/2], "unexpected EOF"},
		"other": {under(t, "", none), "has no libllama.so"},
		"out":   {tarOf(t, "flags=h;s,.*,../../libllama.so/..,", none), "has no libllama.so"},
	} {
		_, err := pulled(t, s, "bad", ".tar.gz", test.content)
		errortest.For(t, name, err, test.want)
	}
	t.Setenv("ENGINES_DIFFER", `[{"id": "sums/1", "want": "(A)", "got": "(B)"}]`)
	_, err := pulled(t, s, "wrong", ".tar.gz", whole)
	errortest.Says(t, err, "llama.cpp b9001 computes wrong on this machine: sums/1")
	holds(t, filepath.Join(s.Folder, "wrong"), 0)
}

// tarOf packs what a folder has, the last name first, with its names and the targets of hard links as tar's --transform
// has them.
func tarOf(t *testing.T, transform, folder string) []byte {
	t.Helper()
	arguments := []string{"-cz", "-P", "--transform=" + transform, "-C", folder}
	entries, err := os.ReadDir(folder)
	assert.NilError(t, err)
	for _, entry := range slices.Backward(entries) {
		arguments = append(arguments, entry.Name())
	}
	packed, err := exec.Command("tar", arguments...).Output()
	assert.NilError(t, err)
	return packed
}

func zipOf(t *testing.T, prefix, folder string) []byte {
	t.Helper()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	entries, err := os.ReadDir(folder)
	assert.NilError(t, err)
	for _, entry := range entries {
		header := &zip.FileHeader{Name: prefix + entry.Name(), Method: zip.Deflate}
		header.SetMode(entry.Type() | 0o755)
		packed, err := to.CreateHeader(header)
		assert.NilError(t, err)
		path := filepath.Join(folder, entry.Name())
		content, err := os.ReadFile(path)
		if target, not := os.Readlink(path); not == nil {
			content = []byte(target)
		}
		_, failed := packed.Write(content)
		assert.NilError(t, errors.Join(err, failed))
	}
	assert.NilError(t, to.Close())
	return out.Bytes()
}
