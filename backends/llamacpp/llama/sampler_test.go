package llama

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/scripts/tests/sharedtest"
)

// scoresOf are of a vocabulary: a few tokens are likely where spread is large; with ties, and some that cannot be.
func scoresOf(random *rand.Rand, n int, spread, step float64) (scores []float32, best float32) {
	scores, best = make([]float32, n), float32(math.Inf(-1))
	for i := range scores {
		x := random.NormFloat64() * spread
		if step > 0 {
			x = math.Round(x/step) * step
		}
		if random.IntN(50) == 0 {
			x = math.Inf(-1)
		}
		scores[i] = float32(x)
		best = max(best, scores[i])
	}
	return scores, best
}

func TestWhatIsCutIsDrawnAsTheChainDraws(t *testing.T) {
	if err := NeedBuiltin(""); err != nil {
		t.Skip(err)
	}
	drawsAsItsChain(t, Builtin())
}

func TestALoadedEngineDrawsFromWhatIsCutAsItsChain(t *testing.T) {
	l, err := OpenLibrary(sharedtest.Engine(t))
	assert.NilError(t, err)
	drawsAsItsChain(t, l)
}

func drawsAsItsChain(t *testing.T, l *Library) {
	random := rand.New(rand.NewPCG(1, 2))
	cut, all := 0, 0
	for _, s := range []backends.Sampling{
		{Temperature: 0.7, TopP: 0.9}, {Temperature: 1, TopP: 0.95, MinP: 0.01}, {Temperature: 1, TopP: 0.3}, {Temperature: 1.5, TopK: 64, TopP: 0.95},
		{Temperature: 1, TopK: 40}, {Temperature: 2, TopK: 500, MinP: 0.05}, {Temperature: 1, TopP: 0.9, RepeatPenalty: 1.1}, {Temperature: 1},
	} {
		for _, n := range []int{10, 900, 5000, 262_144} {
			ours, plain := newSampler(l, s, []int32{1, 2, 3}, 7), newSampler(l, s, []int32{1, 2, 3}, 7)
			plain.rest = nil
			rounds := min(150, 1_000_000/n)
			for i := range rounds {
				scores, best := scoresOf(random, n, []float64{0.1, 1, 3, 6, 30}[i%5], []float64{0, 0, 1e-3, 0.1}[i%4])
				if ours.rest != nil {
					all++
					if ours.cut(scores, best) != nil {
						cut++
					}
				}
				assert.Equal(t, ours.draw(scores, best), plain.draw(scores, best), "%+v, %d tokens, round %d", s, n, i)
			}
			ours.Close()
			plain.Close()
		}
	}
	assert.Assert(t, cut > all/3, "%d of %d were cut: the test says little", cut, all)
}

func BenchmarkSample(b *testing.B) {
	l := Builtin
	if NeedBuiltin("") != nil {
		loaded, err := OpenLibrary(sharedtest.Engine(b))
		assert.NilError(b, err)
		l = func() *Library { return loaded }
	}
	for _, n := range []int{262_144, 49_152} {
		scores, _ := scoresOf(rand.New(rand.NewPCG(3, 4)), n, 1, 0)
		for i := range 1000 {
			scores[i*n/1000] += float32(20 - 2*math.Log(float64(i+1))) // those that come into question
		}
		best := slices.Max(scores)
		for name, s := range map[string]backends.Sampling{
			"top-p": {Temperature: 0.7, TopP: 0.9}, "top-k": {Temperature: 0.7, TopK: 40}, "temperature": {Temperature: 1},
		} {
			for _, by := range []string{"cut", "chain"} {
				b.Run(fmt.Sprint(name, ", ", n, ", ", by), func(b *testing.B) {
					sampler := newSampler(l(), s, nil, 7)
					defer sampler.Close()
					if by == "chain" {
						sampler.rest = nil
					}
					for b.Loop() {
						sampler.draw(scores, best)
					}
				})
			}
		}
	}
}
