//go:build cgo

package logits

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
)

// A build without cgo uses the functions in Go.
func TestArgmaxInGoIsThatInC(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, scores := range [][]float32{
		{1}, {nan}, {inf}, {-inf}, {2, 2, 1}, {1, 2, 2}, {-inf, -inf}, {-inf, -3}, {1, inf}, {nan, 1}, {1, nan, 2}, {inf, nan},
		{float32(math.Copysign(0, -1)), 0}, {-2, float32(math.Copysign(0, -1)), 0, 0}, {math.MaxFloat32, inf}, {-math.MaxFloat32, -inf},
	} {
		for _, n := range []int{len(scores), 31, 32, 33, 1000} { // behind others, before others, among them
			for at := range 3 {
				least := make([]float32, max(0, n-len(scores)))
				for i := range least {
					least[i] = -math.MaxFloat32
				}
				all := slices.Insert(least, len(least)*at/2, scores...)
				got, want := argmax(all), Argmax(all)
				assert.Check(t, got == want, "%v among %d: %d in Go, %d in C++", scores, n, got, want)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		all := make([]float32, 1+random.IntN(300))
		for i := range all {
			all[i] = float32(random.IntN(40))
		}
		got, want := argmax(all), Argmax(all)
		assert.Check(t, got == want, "%v: %d in Go, %d in C++", all, got, want)
	}
}

func TestPredictionsInGoAreThoseInC(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	scores := func(n int, spread float64) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(math.Round(random.NormFloat64()*spread*8) / 8) // with equals
		}
		return all
	}
	for _, n := range []int{1, 2, 15, 16, 17, 1000, 32000} {
		for _, spread := range []float64{0, 0.5, 5, 50, 500} {
			token := func() int32 { return int32(random.IntN(n)) }
			places := []Place{
				{Scores: scores(n, spread), Token: token(), Ask: []int32{token(), token()}},
				{Scores: scores(n, spread), Token: token()},
			}
			if n > 1 {
				places[0].Scores[token()] = float32(math.Inf(-1))
			}
			for _, top := range []int{0, 1, 64} {
				got, want := predictAll(places, top), Predict(places, top)
				for i := range places {
					checkSame(t, got[i], want[i])
				}
			}
		}
	}
}

// checkSame checks that two predictions are the same but for how sums of many numbers are rounded.
func checkSame(t *testing.T, got, want backends.Prediction) {
	t.Helper()
	// What is left beside the top is a difference of sums, so it is compared as a probability.
	numbers := func(p backends.Prediction) (tokens []int32, all []float64) {
		tokens, all = []int32{p.Token}, append([]float64{p.Logprob, p.Entropy, math.Exp(p.Rest)}, p.AskLogprobs...)
		for _, l := range p.Top {
			tokens, all = append(tokens, l.Token), append(all, l.Logprob)
		}
		return tokens, all
	}
	tokens, in := numbers(got)
	tokensInC, inC := numbers(want)
	assert.Assert(t, slices.Equal(tokens, tokensInC) && len(in) == len(inC),
		"tokens %v and %d numbers in Go, %v and %d in C++", tokens, len(in), tokensInC, len(inC))
	for i := range in {
		assert.Check(t, math.Abs(in[i]-inC[i]) <= 1e-9*max(1, math.Abs(inC[i])), "number %d is %g in Go, %g in C++", i, in[i], inC[i])
	}
}
