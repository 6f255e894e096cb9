//go:build cgo

package kernels_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
)

// Predictions are journaled: they have the same bits at every level.
func TestScoresAreReducedToTheSameBitsAtEachLevel(t *testing.T) {
	c, err := kernels.Reducing()
	assert.NilError(t, err)
	levels := kernels.Supported()
	if len(levels) > 0 {
		defer kernels.Reduce(levels[0])
	}
	random := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 15, 17, 63, 64, 65, 1000, 50_001} {
		scores, reference, ask := make([]float32, n), make([]float32, n), []int32{int32(n - 1), 0}
		for i := range n {
			scores[i], reference[i] = float32(random.NormFloat64()*4), float32(random.NormFloat64()*4)
		}
		type reduced struct {
			likeliest                int32
			prediction               kernels.Prediction
			askLogprobs, ofReference [2]float64
			tokens                   [3]int32
			logprobs                 [3]float64
		}
		var all []reduced
		for _, level := range levels {
			kernels.Reduce(level)
			var r reduced
			place := kernels.Place{Scores: &scores[0], Reference: &reference[0], Token: int32(n / 2), AskTo: 2}
			c.Predict(1, &place, int32(n), int32(min(n, 3)), &ask[0], &r.askLogprobs[0], &r.ofReference[0], &r.tokens[0], &r.logprobs[0], &r.prediction)
			r.likeliest = c.Argmax(&scores[0], int32(n))
			assert.Equal(t, r.likeliest, int32(slices.Index(scores, slices.Max(scores))))
			assert.Assert(t, r.prediction.Entropy >= 0 && r.tokens[0] == r.likeliest, "%s: %+v", level, r)
			all = append(all, r)
		}
		for i, r := range all {
			assert.Check(t, r == all[0], "%d scores: %+v at %s, %+v at %s", n, r, levels[i], all[0], levels[0])
		}
	}
}
