package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"proctor/backends/embedded"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/sharedtest"
)

// A published llama.cpp computes as the built-in one with ggml's kernels. Its CPU code is compiled otherwise, so sums may be rounded
// otherwise.
func TestALoadedEngineAnswersAsTheBuiltInOne(t *testing.T) {
	flags := []string{"--limit", "28", "--max-tokens", "300", "--kernels", "ggml", "--engine"}
	got, want := completions(t, append(flags, sharedtest.Engine(t))), completions(t, append(flags, "builtin"))
	compareMost(t, got, want)
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
	if len(got) != 28 || len(want) != 28 {
		t.Fatalf("%d and %d items, want 28", len(got), len(want))
	}
	most := 0.0
	for id, letters := range want {
		for i, p := range letters {
			most = max(most, math.Abs(p-got[id][i]))
		}
	}
	if !(most < 0.02) {
		t.Errorf("a letter's log-probability is %g off", most)
	}
	t.Logf("the letters' log-probabilities differ by %.2g at most", most)
}

func TestALoadedEngineDoesNotDivergeFromItself(t *testing.T) {
	folder, against := sharedtest.Engine(t), filepath.Join(t.TempDir(), "run")
	run(t, "run", "--quiet", "--engine", folder, "--threads", "1", "--slots", "1", "--subjects", "math", "--limit", "8",
		"--max-tokens", "40", "--keep-logprobs", "--out", against)
	control, err := embedded.File()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{control, "--engine", folder, "--against", against, "--slots", "1"}
	for _, s := range []scored{scoreOf(t, args...), scoreOf(t, append(args, "--exact", control)...)} {
		itself := s.Models[0]
		if itself.MeanKLD > 1e-6 || itself.MaxKLD > 1e-6 || itself.SameTop != 1 || itself.Tokens < 8*10 {
			t.Errorf("%s: it differs from itself: %+v", itself.Method, itself.figures)
		}
		t.Logf("%s: KL divergence from itself %.2g, at most %.2g, of %d tokens", itself.Method, itself.MeanKLD, itself.MaxKLD, itself.Tokens)
	}
}

func TestAKilledRunOfALoadedEngineGoesOn(t *testing.T) {
	folder := t.TempDir()
	whole, killed := filepath.Join(folder, "whole"), filepath.Join(folder, "killed")
	args := append(slices.Clone(crashRun), "--engine", sharedtest.Engine(t), "--out")
	run(t, append(args, whole)...)
	cmd, _, _ := begin(t, killed, args, func(journal []byte) bool { return bytes.Count(journal, []byte("\n")) > 3 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	answered := lines(t, killed)
	run(t, append(args, killed, "--resume")...)
	after := lines(t, killed)
	if len(answered) > 28 || len(after) != 29 || !slices.Equal(after[:len(answered)-1], answered[:len(answered)-1]) {
		t.Errorf("%d lines when it was killed, then %d: want the header and 28 items", len(answered), len(after))
	}
	compareTexts(t, whole, killed)
}

func TestASweepOfALoadedEngineQuantises(t *testing.T) {
	folder, out := sharedtest.Engine(t), filepath.Join(t.TempDir(), "sweep")
	control, err := embedded.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PROCTOR_DATA", t.TempDir())
	run(t, "sweep", control, "--types", "Q8_0,Q4_K_M", "--engine", folder, "--limit", "3", "--max-tokens", "8", "--threads", "1", "--out", out)
	document, err := os.ReadFile(filepath.Join(out, "sweep.json"))
	if err != nil || !bytes.Contains(document, []byte(`"engine": "llama.cpp `)) {
		t.Errorf("its document does not say who quantised: %v\n%s", err, document)
	}
	for _, fileType := range []string{"Q8_0", "Q4_K_M"} {
		kept, err := journaltest.Load(filepath.Join(out, fileType))
		if err != nil {
			t.Fatal(err)
		}
		if kept.Header.Model.Quantization != fileType || !strings.HasPrefix(kept.Header.Backend.Version, "llama.cpp ") {
			t.Errorf("%s: asked %+v of %s", fileType, kept.Header.Model, kept.Header.Backend.Version)
		}
	}
}
