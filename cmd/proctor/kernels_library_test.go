package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/sharedtest"
)

// A proctor without cgo, with the kernels as a library beside it, gives the probabilities of the one that contains them, to the bit.
// Without the library ggml's kernels compute, and the journal says why. Where GGML_BACKEND_PATH names the library, it computes in a
// program that knows nothing of it.
func TestALoadedEngineTakesTheKernelsAsALibrary(t *testing.T) {
	engine, levels := sharedtest.Engine(t), kernels.Supported()
	if len(levels) == 0 {
		t.Skip("there are only ggml's kernels on this CPU")
	}
	folder := t.TempDir()
	program, library := filepath.Join(folder, "proctor"), filepath.Join(folder, "lib", kernels.FileName)
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	for _, command := range []*exec.Cmd{build, exec.Command("../../scripts/kernels-library.sh", library)} {
		out, err := command.CombinedOutput()
		assert.NilError(t, err, "%s", out)
	}
	flags := []string{"run", "--engine", engine, "--threads", "2", "--slots", "8", "--limit", "28", "--direct", "--out"}
	ask := func(name string, environment ...string) (out string) {
		out = filepath.Join(folder, name)
		command := exec.Command(program, append(flags, out)...)
		command.Env = append(os.Environ(), environment...)
		said, err := command.CombinedOutput()
		assert.NilError(t, err, "%s", said)
		return out
	}
	computes := func(out string) backends.EngineInfo {
		kept, err := journaltest.Load(out)
		assert.NilError(t, err)
		assert.Equal(t, len(kept.Records), 28)
		return kept.Header.Backend
	}

	want := filepath.Join(folder, "with cgo")
	run(t, append(flags, want)...)
	beside := ask("beside")
	assert.DeepEqual(t, lettersOf(t, beside), lettersOf(t, want))
	is := computes(beside)
	assert.Equal(t, is.Kernels, "proctor")
	assert.Equal(t, is.KernelLevel, levels[0])

	measured, err := exec.Command(program, "bench", "--engine", engine, "--repetitions", "1", "--n-prompt", "64", "--n-gen", "0").CombinedOutput()
	assert.NilError(t, err, "%s", measured)

	elsewhere := filepath.Join(folder, "plugin.so")
	assert.NilError(t, os.Rename(library, elsewhere))
	without := ask("without")
	is = computes(without)
	assert.Equal(t, is.Kernels, "ggml")
	assert.Assert(t, strings.Contains(is.KernelsBecause, "no lib/"+kernels.FileName+" beside it"), is.KernelsBecause)
	assert.Assert(t, strings.Contains(string(run(t, "report", without)), "! "+is.Slower()+"\n"), is.Slower())
	ggml := lettersOf(t, without)
	plugged := lettersOf(t, ask("plugged", "GGML_BACKEND_PATH="+elsewhere))
	assert.Assert(t, !reflect.DeepEqual(plugged, ggml), "ggml's kernels computed")

	assert.NilError(t, os.Mkdir(filepath.Join(folder, "named"), 0o755))
	named := filepath.Join(folder, "named", kernels.FileName)
	assert.NilError(t, os.Rename(elsewhere, named))
	assert.DeepEqual(t, lettersOf(t, ask("named for others", "GGML_BACKEND_PATH="+named)), ggml)
}
