package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/quantize"
	"proctor/runner/mark/stats"
)

// scored are the compared figures of a score's JSON.
type scored struct {
	Models []struct {
		figures
		Method string `json:"kld_method"`
		Items  []struct {
			ID string `json:"id"`
			figures
		} `json:"by_item"`
	} `json:"models"`
}

type figures struct {
	Tokens  int            `json:"tokens"`
	MeanKLD float64        `json:"mean_kld"`
	MaxKLD  float64        `json:"max_kld"`
	SameTop float64        `json:"same_top"`
	PPL     float64        `json:"ppl"`
	PPLBase float64        `json:"ppl_base"`
	GoldGap float64        `json:"gold_logprob_change"`
	Gold    int            `json:"gold_items"`
	CI      stats.Interval `json:"mean_kld_ci"`
}

func scoreOf(t *testing.T, args ...string) scored {
	t.Helper()
	var s scored
	args = append([]string{"score", "--quiet", "--threads", "1", "--format", "json"}, args...)
	assert.NilError(t, json.Unmarshal(run(t, args...), &s))
	return s
}

// The control model's quants, from the finest to the coarsest, compared with its run's kept probabilities.
func TestDivergenceGrowsAsAModelIsQuantisedAndIsNoneForItself(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	against := filepath.Join(folder, "run")
	control := modelPath(t)
	models := []string{control}
	for _, kind := range []string{"Q8_0", "Q4_0"} {
		path := filepath.Join(folder, kind+".gguf")
		assert.NilError(t, quantize.Write(t.Context(), quantize.Options{Source: control, Target: path, Type: kind}))
		models = append(models, path)
	}
	run(t, "run", "--quiet", "--threads", "1", "--subjects", "math", "--limit", "8", "--max-tokens", "40", "--keep-logprobs",
		"--slots", "16", "--out", against)
	s := scoreOf(t, append(models, "--against", against, "--slots", "1")...)
	itself := s.Models[0]
	assert.Check(t, itself.MeanKLD <= 1e-6 && itself.MaxKLD <= 1e-6 && itself.SameTop == 1 &&
		itself.GoldGap*itself.GoldGap <= 1e-8 && itself.Gold >= 4, "the model differs from itself: %+v", itself.figures)
	for i := 2; i < len(s.Models); i++ {
		if finer, coarser := s.Models[i-1], s.Models[i]; coarser.MeanKLD < 1.5*finer.MeanKLD || finer.MeanKLD <= 0 ||
			finer.CI.Low > finer.MeanKLD || finer.CI.High <= finer.MeanKLD {
			t.Errorf("a divergence of %g (%+v) and, quantised more, of %g", finer.MeanKLD, finer.CI, coarser.MeanKLD)
		}
	}
	for _, m := range s.Models {
		assert.Check(t, m.Method == "lower_bound" && m.Tokens == itself.Tokens &&
			len(m.Items) == 8, "%s of %d tokens", m.Method, m.Tokens)
	}
}
