package gollama

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
	"proctor/scripts/tests/errortest"
)

// written writes a random model and returns its header.
func written(t *testing.T, change func(*llamatest.Model)) *gguf.File {
	t.Helper()
	m := llamatest.Model{
		Name: "random", Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 256, Heads: 4, KVHeads: 1, Inner: 256, Layers: 1, Context: 512},
	}
	change(&m)
	path := filepath.Join(t.TempDir(), "model.gguf")
	assert.NilError(t, llamatest.Write(path, m))
	return opened(t, path)
}

func opened(t *testing.T, path string) *gguf.File {
	t.Helper()
	file, err := gguf.Open(path)
	assert.NilError(t, err)
	return file
}

func scaled(by string) func(*llamatest.Model) {
	return func(m *llamatest.Model) { m.Values = map[string]any{"rope.scaling.type": by} }
}

func TestWhatTheOldLibraryCannotReadIsRefusedWithTheReason(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*llamatest.Model)
		want   string // "": it is taken
	}{
		"a llama":             {func(*llamatest.Model) {}, ""},
		"a newer one":         {func(m *llamatest.Model) { m.Architecture = llamatest.Qwen3 }, "architecture qwen3, which llama.cpp of"},
		"experts":             {func(m *llamatest.Model) { m.Shape.Experts, m.Shape.Active = 4, 2 }, "a mixture of experts"},
		"rotations by yarn":   {scaled("yarn"), "rotations scaled by yarn"},
		"rotations by a line": {scaled("linear"), ""},
	} {
		file := written(t, test.change)
		if test.want == "" {
			assert.NilError(t, Check(file), name)
		} else {
			_, err := Open(t.Context(), Options{Path: file.Path})
			errortest.For(t, name, err, test.want, "leave gollama: out, and it runs in-process")
		}
	}
	file := written(t, func(*llamatest.Model) {})
	tied := *file
	tied.Tensors = slices.DeleteFunc(slices.Clone(file.Tensors), func(t gguf.Tensor) bool { return t.Name == "output.weight" })
	errortest.For(t, "tied", Check(&tied), "tied embeddings")
	errortest.For(t, "pairs of bytes", Check(opened(t, "../embedded/control.gguf")), `a vocabulary of kind "gpt2"`)
	errortest.For(t, "an adapter", Check(opened(t, "../../cmd/proctor/testdata/adapter.gguf")),
		"an adapter (LoRA), which ")
	target := filepath.Join(t.TempDir(), "iq4.gguf")
	assert.NilError(t, quantize.Write(t.Context(), quantize.Options{Source: file.Path, Target: target, Type: "IQ4_XS"}))
	errortest.For(t, "IQ4_XS", Check(opened(t, target)), "in IQ4_XS")
}

// The tagged file needs the library to link, but not to be checked, and so does who imports this package: the module's
// own C++, which needs the library's sources, is left out, as `make gollama` leaves it out.
func TestTheTaggedFileCompiles(t *testing.T) {
	const module = "github.com/go-skynet/go-llama.cpp"
	listed, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	from := strings.TrimSpace(string(listed))
	if err != nil || from == "" {
		t.Skipf("%s is not in the module cache: go mod download %[1]s", module)
	}
	work := t.TempDir()
	to := filepath.Join(work, "module")
	assert.NilError(t, os.Mkdir(to, 0o700))
	put := func(to string, from ...string) {
		content, err := os.ReadFile(filepath.Join(from...))
		assert.NilError(t, err)
		assert.NilError(t, os.WriteFile(to, content, 0o600))
	}
	for _, name := range []string{"llama.go", "options.go", "binding.h", "go.mod", "go.sum"} {
		put(filepath.Join(to, name), from, name)
	}
	mod := filepath.Join(work, "proctor.mod")
	put(mod, "../../go.mod")
	put(filepath.Join(work, "proctor.sum"), "../../go.sum")
	for _, args := range [][]string{
		{"mod", "edit", "-replace", module + "=" + to, mod}, {"vet", "-modfile", mod, "-tags", "gollama", ".", "../registry"},
	} {
		said, err := exec.Command("go", args...).CombinedOutput()
		assert.NilError(t, err, "go %s: %s", args[0], said)
	}
}

// What a file recommends and the library does not have is lacking.
func TestTheOldLibraryLacksMinP(t *testing.T) {
	said := map[string]float64{"temperature": 0.6, "top_k": 20}
	assert.Equal(t, Options{Sampling: backends.Recommend("the file", said, nil)}.Recommended().Lacks, "")
	said["min_p"] = 0.05
	r := Options{Sampling: backends.Recommend("the file", said, nil)}.Recommended()
	assert.Equal(t, r.Lacks, "min_p=0.05")
	assert.Equal(t, r.String(), "temperature=0.6, top_k=20, min_p=0.05")
	assert.Check(t, Options{}.Recommended() == nil)
}
