package gpu

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/builtin"
	"proctor/backends/llamacpp/llama"
	"proctor/scripts/tests/errortest"
)

// write puts files into a folder, by their paths.
func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		assert.NilError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)))
	}
}

// speaksFor is a file of checksums for libraries by their text.
func speaksFor(version string, libraries map[string]string) string {
	text := "# ggml of github.com/ollama/ollama " + version + "\n"
	for name, content := range libraries {
		sum := sha256.Sum256([]byte(content))
		text += hex.EncodeToString(sum[:]) + "  " + name + "\n"
	}
	return text
}

func TestOnlyALibraryOfOurVersionIsLoaded(t *testing.T) {
	vulkan := map[string]string{"libggml-vulkan.so": "a library"}
	ours, other := speaksFor(builtin.Module, vulkan), speaksFor("v0.1.2", vulkan)
	for _, test := range []struct {
		name   string
		files  map[string]string
		folder string
		refuse string // empty: it is loaded
	}{
		{"its checksum and our version", map[string]string{"d/ggml.sha256": ours}, "d", ""},
		{"in a folder below", map[string]string{"d/vulkan/libggml-vulkan.so": "a library", "d/vulkan/ggml.sha256": ours}, "d", ""},
		{"another version", map[string]string{"d/ggml.sha256": other}, "d",
			"is of Ollama v0.1.2, this program has ggml of " + builtin.Module},
		{"another file", map[string]string{"d/libggml-vulkan.so": "another", "d/ggml.sha256": ours}, "d", "is not the file that"},
		{"no checksum of it", map[string]string{"d/ggml.sha256": speaksFor(builtin.Module, nil)}, "d", "is not the file that"},
		{"no version", map[string]string{"d/ggml.sha256": strings.TrimPrefix(ours, "#")}, "d", "does not begin with a line"},
		{"nothing that speaks for it", nil, "d", "its version is unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := t.TempDir()
			if _, below := test.files["d/vulkan/libggml-vulkan.so"]; !below && test.folder == "d" {
				write(t, base, map[string]string{"d/libggml-vulkan.so": "a library"})
			}
			write(t, base, test.files)
			var loaded []string
			found, err := load(filepath.Join(base, test.folder), func(path string, _ []string) (int, error) {
				loaded = append(loaded, path)
				return 1, nil
			})
			if test.refuse == "" {
				assert.Check(t, err == nil && len(loaded) == 1 && slices.Equal(found.Libraries, loaded),
					"loaded %v, %+v, %v", loaded, found, err)
				return
			}
			assert.Check(t, len(loaded) == 0, "%v came into the process", loaded)
			errortest.Says(t, err, test.refuse, "`make gpu-vulkan` builds one")
		})
	}
}

func TestTheFirstOfAKindThatHasADeviceIsTaken(t *testing.T) {
	folder := t.TempDir()
	sums := speaksFor(builtin.Module, map[string]string{"libggml-cuda.so": "", "libggml-vulkan.so": "", "libggml-cpu-haswell.so": ""})
	for _, below := range []string{
		"cuda_v9/libggml-cuda.so", "cuda_v13/libggml-cuda.so", "vulkan/libggml-vulkan.so", "cpu/libggml-cpu-haswell.so",
	} {
		write(t, folder, map[string]string{below: "", filepath.Join(filepath.Dir(below), "ggml.sha256"): sums})
	}
	for _, test := range []struct {
		name    string
		devices map[string]int
		want    []string
	}{
		{"the latest toolkit", map[string]int{"cuda_v13": 1, "cuda_v9": 1, "vulkan": 2}, []string{"cuda_v13", "vulkan"}},
		{"an older one, where the driver is older", map[string]int{"cuda_v9": 1}, []string{"cuda_v9"}},
		{"another maker's GPU", map[string]int{"vulkan": 1}, []string{"vulkan"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, err := load(folder, func(path string, _ []string) (int, error) {
				return test.devices[filepath.Base(filepath.Dir(path))], nil
			})
			var got []string
			for _, path := range found.Libraries {
				got = append(got, filepath.Base(filepath.Dir(path)))
			}
			assert.Check(t, err == nil && slices.Equal(got, test.want), "loaded %v, %v, want %v", got, err, test.want)
		})
	}
	_, err := load(folder, func(string, []string) (int, error) { return 0, nil })
	if err == nil || strings.Count(err.Error(), "it finds no GPU, or no driver for one") != 3 || strings.Contains(err.Error(), "\n") {
		t.Errorf("without any device: %v", err)
	}
}

// TestWhatIsNoBackendIsSaid loads for real what no backend is.
func TestWhatIsNoBackendIsSaid(t *testing.T) {
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs gcc")
	}
	folder := t.TempDir()
	write(t, folder, map[string]string{"text.so": "no library", "base.c": "int base(void) { return 1; }\n",
		"top.c": "int base(void); int top(void) { return base(); }\n"})
	compile := func(args ...string) {
		t.Helper()
		command := exec.Command(compiler, args...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		assert.Assert(t, err == nil, "%v: %s", err, out)
	}
	compile("-shared", "-fPIC", "-Wl,-soname,libbase.so", "-o", "libbase.so", "base.c")
	compile("-shared", "-fPIC", "-o", "top.so", "top.c", "-L.", "-lbase")
	path := func(name string) string { return filepath.Join(folder, name) }

	if got := needs(path("top.so")); !slices.Equal(got, []string{path("libbase.so")}) {
		t.Errorf("top.so needs %v", got)
	}
	got := needs(path("text.so"))
	assert.Check(t, got == nil, "a text needs %v", got)
	for _, test := range []struct {
		library string
		needs   []string
		want    string
	}{
		{"text.so", nil, "text.so: "},
		{"top.so", nil, "libbase.so: cannot open shared object file"},
		{"top.so", []string{path("libbase.so")}, "failed to find ggml_backend_init"},
	} {
		devices, err := llama.Builtin().LoadBackend(path(test.library), test.needs)
		assert.Check(t, err != nil && devices == 0 && strings.Contains(err.Error(), test.want),
			"%s after %v: %d devices, %v; want %q", test.library, test.needs, devices, err, test.want)
	}
}
