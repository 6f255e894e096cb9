package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/sharedtest"
)

// A proctor without cgo, with the kernels as a library beside it, writes the texts of the one that contains them. Without the library
// ggml's kernels compute, and it says why. Named by GGML_BACKEND_PATH the library computes in a program that knows nothing of it.
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
	flags := []string{"run", "--engine", engine, "--threads", "2", "--slots", "8", "--limit", "28", "--max-tokens", "100", "--out"}
	ask := func(name string, environment ...string) (out, said string) {
		out = filepath.Join(folder, name)
		command := exec.Command(program, append(flags, out)...)
		command.Env = append(os.Environ(), environment...)
		var stderr bytes.Buffer
		command.Stderr = &stderr
		assert.NilError(t, command.Run(), "%s", &stderr)
		return out, stderr.String()
	}
	computes := func(out string) backends.EngineInfo {
		kept, err := journaltest.Load(out)
		assert.NilError(t, err)
		assert.Equal(t, len(kept.Records), 28)
		return kept.Header.Backend
	}

	want := filepath.Join(folder, "with cgo")
	run(t, append(flags, want)...)
	beside, _ := ask("beside")
	compareTexts(t, want, beside)
	is := computes(beside)
	assert.Equal(t, is.Kernels, "proctor")
	assert.Equal(t, is.KernelLevel, levels[0])

	measured, err := exec.Command(program, "bench", "--engine", engine, "--repetitions", "1", "--n-prompt", "64", "--n-gen", "0").CombinedOutput()
	assert.NilError(t, err, "%s", measured)

	elsewhere := filepath.Join(folder, "plugin.so")
	assert.NilError(t, os.Rename(library, elsewhere))
	without, said := ask("without")
	is = computes(without)
	assert.Equal(t, is.Kernels, "ggml")
	assert.Assert(t, strings.Contains(is.KernelsBecause, "no lib/"+kernels.FileName+" beside it"), is.KernelsBecause)
	assert.Assert(t, !strings.Contains(said, "proctor's kernels: "), said)

	plugged, said := ask("plugged", "GGML_BACKEND_PATH="+elsewhere)
	assert.Assert(t, strings.Contains(said, "proctor's kernels: "+levels[0]+"\n"), said)
	computes(plugged)

	assert.NilError(t, os.Mkdir(filepath.Join(folder, "named"), 0o755))
	named := filepath.Join(folder, "named", kernels.FileName)
	assert.NilError(t, os.Rename(elsewhere, named))
	_, said = ask("named for others", "GGML_BACKEND_PATH="+named)
	assert.Assert(t, !strings.Contains(said, "proctor's kernels: "), said)
}
