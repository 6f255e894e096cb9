package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/registry"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/sharedtest"
)

// A published llama.cpp computes as the built-in one with ggml's kernels. Its CPU code is compiled otherwise, so sums may be rounded
// otherwise.
func TestALoadedEngineAnswersAsTheBuiltInOne(t *testing.T) {
	flags := []string{"--limit", "28", "--max-tokens", "300", "--kernels", "ggml", "--engine"}
	got, want := completions(t, append(flags, sharedtest.Engine(t))), completions(t, append(flags, "builtin"))
	compareMost(t, got, want)
}

// A published llama.cpp refuses a file whose pre-tokenizer it does not know, which is said before it loads the file.
func TestALoadedEngineIsAskedWhetherItKnowsThePreTokenizer(t *testing.T) {
	t.Setenv(registry.EngineVariable, sharedtest.Engine(t))
	content, err := os.ReadFile(modelPath(t))
	assert.NilError(t, err)
	for pre, want := range map[string]string{"gpt-2": "llama.cpp ", "gpt-x": `does not know the pre-tokenizer \"gpt-x\"`} {
		path := filepath.Join(t.TempDir(), "model.gguf")
		assert.NilError(t, os.WriteFile(path, bytes.Replace(content, []byte("gpt-2"), []byte(pre), 1), 0o644))
		said := run(t, "inspect", "--json", path)
		assert.Check(t, bytes.Contains(said, []byte(want)) && !bytes.Contains(said, []byte("split_as_default")), "%s: %s", pre, said)
	}
}

// A published llama.cpp computes with proctor's kernels, and keeps what they promise: texts are the same at each number of slots and at
// each level.
func TestALoadedEngineComputesWithTheKernels(t *testing.T) {
	folder, levels := sharedtest.Engine(t), kernels.Supported()
	if len(levels) == 0 {
		t.Skip("there are only ggml's kernels on this CPU")
	}
	asked := func(level, slots string, more ...string) (out string) {
		t.Setenv(kernels.LevelVariable, level)
		out = filepath.Join(t.TempDir(), "run")
		run(t, append([]string{"run", "--quiet", "--engine", folder, "--threads", "2", "--slots", slots, "--limit", "28",
			"--max-tokens", "100", "--out", out}, more...)...)
		return out
	}
	want := asked("", "1")
	kept := loaded(t, want)
	if is := kept.Header.Backend; is.Kernels != "proctor" || is.KernelLevel != levels[0] || !is.Loaded || is.KernelsBecause != "" {
		t.Errorf("it computes with %+v", is)
	}
	for _, slots := range []string{"8", "24"} {
		compareTexts(t, want, asked("", slots))
	}
	for _, level := range levels[1:] {
		compareTexts(t, want, asked(level, "8"))
	}
	ggml, err := journaltest.Load(asked("", "8", "--kernels", "ggml"))
	assert.Check(t, err == nil && ggml.Header.Backend.Kernels == "ggml" && ggml.Header.Backend.KernelLevel == "",
		"asked for ggml's: %+v, %v", ggml.Header.Backend, err)
}

// The letters' probabilities differ by roundings alone.
func TestALoadedEngineKnowsTheLetters(t *testing.T) {
	folder := sharedtest.Engine(t)
	direct := func(name string, more ...string) map[string][]float64 {
		out := filepath.Join(t.TempDir(), name)
		run(t, append([]string{"run", "--quiet", "--direct", "--threads", "1", "--limit", "28", "--out", out}, more...)...)
		return lettersOf(t, out)
	}
	got, want := direct("loaded", "--engine", folder), direct("builtin", "--engine", "builtin", "--kernels", "ggml")
	assert.Assert(t, len(got) == 28 && len(want) == 28, "%d and %d items, want 28", len(got), len(want))
	most := 0.0
	for id, letters := range want {
		for i, p := range letters {
			most = max(most, math.Abs(p-got[id][i]))
		}
	}
	assert.Check(t, most < 0.02, "a letter's log-probability is %g off", most)
	t.Logf("the letters' log-probabilities differ by %.2g at most", most)
}

func TestALoadedEngineDoesNotDivergeFromItself(t *testing.T) {
	folder, against := sharedtest.Engine(t), filepath.Join(t.TempDir(), "run")
	run(t, "run", "--quiet", "--engine", folder, "--threads", "1", "--slots", "1", "--subjects", "math", "--limit", "8",
		"--max-tokens", "40", "--keep-logprobs", "--out", against)
	control := modelPath(t)
	args := []string{control, "--engine", folder, "--against", against, "--slots", "1"}
	for _, s := range []scored{scoreOf(t, args...), scoreOf(t, append(args, "--exact", control)...)} {
		itself := s.Models[0]
		assert.Check(t, itself.MeanKLD <= 1e-6 && itself.MaxKLD <= 1e-6 && itself.SameTop == 1 && itself.Tokens >= 8*10,
			"%s: it differs from itself: %+v", itself.Method, itself.figures)
		t.Logf("%s: KL divergence from itself %.2g, at most %.2g, of %d tokens", itself.Method, itself.MeanKLD, itself.MaxKLD, itself.Tokens)
	}
}

// What opens a model without asking it takes the engine that is named, by a flag and by the environment.
func TestALoadedEngineReadsForEveryCommand(t *testing.T) {
	folder, model := sharedtest.Engine(t), modelPath(t)
	commands := [][]string{
		{"render", "--question", "1", "--shots", "0", "--model", model},
		{"plan", "--model", model, "--limit", "14"},
		{"inspect", model},
	}
	var named []string
	for _, command := range commands {
		named = append(named, string(run(t, append(command, "--engine", folder)...)))
	}
	t.Setenv(registry.EngineVariable, folder)
	if printed := string(run(t, commands[0]...)); printed != named[0] || !strings.Contains(printed, " tokens: ") {
		t.Errorf("rendered as %q and %q", printed, named[0])
	}
	run(t, commands[1]...)
	if printed := string(run(t, commands[2]...)); printed != named[2] || strings.Contains(printed, registry.EngineBuiltin) {
		t.Errorf("inspected as %q and %q", printed, named[2])
	}
}

// A loaded engine is measured, its release in each row.
func TestALoadedEngineIsMeasured(t *testing.T) {
	type row struct {
		Release string  `json:"build_commit"`
		Kernels string  `json:"kernels"`
		Rate    float64 `json:"avg_ts"`
		Minute  float64 `json:"questions_per_minute"`
	}
	rows := func(args ...string) (all []row) {
		printed := run(t, append([]string{"bench", "-o", "json", "-r", "1", "-t", "1"}, args...)...)
		assert.NilError(t, json.Unmarshal(printed, &all))
		return all
	}
	folder := sharedtest.Engine(t)
	alone := rows("--engine", folder, "-p", "16", "-n", "0")
	assert.Assert(t, len(alone) == 1 && alone[0].Rate > 0 && alone[0].Release != "" && alone[0].Kernels == registry.InProcess().Kernels,
		"%+v", alone)
	t.Setenv(registry.EngineVariable, folder)
	named := rows("-p", "16", "-n", "0")
	assert.Check(t, len(named) == 1 && named[0].Release == alone[0].Release, "named by the environment: %+v", named)
	eval := rows("--exam", "--slots", "2", "--questions", "3", "--shared", "60", "--own", "20", "--max-tokens", "2")
	assert.Check(t, len(eval) == 1 && eval[0].Release == alone[0].Release && eval[0].Minute > 0, "answering questions: %+v", eval)
}
