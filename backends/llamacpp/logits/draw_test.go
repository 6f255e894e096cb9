package logits

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// roughScores are of a vocabulary: few tokens are likely where spread is large; with equal ones, and some that cannot
// be.
func roughScores(random *rand.Rand, n int, spread, step float64) []float32 {
	scores := make([]float32, n)
	for i := range scores {
		x := random.NormFloat64() * spread
		if step > 0 {
			x = math.Round(x/step) * step
		}
		if random.IntN(50) == 0 {
			x = math.Inf(-1)
		}
		scores[i] = float32(x)
	}
	return scores
}

// plainDraw draws step by step from a sorted vocabulary.
func plainDraw(scores []float32, s engine.Sampler) int32 {
	scores = slices.Clone(scores)
	before := s.Before[max(0, len(s.Before)-backends.PenaltyWindow):]
	for token := range scores {
		n := 0
		for _, b := range before {
			if int(b) == token {
				n++
			}
		}
		if n == 0 || !s.Penalises() {
			continue
		}
		if repeat := float32(s.RepeatPenalty); repeat != 0 && scores[token] > 0 {
			scores[token] /= repeat
		} else if repeat != 0 {
			scores[token] *= repeat
		}
		scores[token] -= float32(n)*float32(s.FrequencyPenalty) + float32(s.PresencePenalty)
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	if s.Temperature == 0 {
		return int32(order[0])
	}
	if s.TopK > 0 {
		order = order[:min(s.TopK, len(order))]
	}
	best := float64(scores[order[0]])
	if s.TopP > 0 && s.TopP < 1 {
		sum, kept := 0.0, 0.0
		for _, token := range order {
			sum += math.Exp(float64(scores[token]) - best)
		}
		for i, token := range order {
			if kept += math.Exp(float64(scores[token])-best) / sum; kept >= s.TopP {
				order = order[:i+1]
				break
			}
		}
	}
	weights, sum := make([]float64, len(scores)), 0.0
	for _, token := range order {
		if x := float64(scores[token]) - best; s.MinP == 0 || math.Exp(x) >= s.MinP {
			weights[token] = math.Exp(x / s.Temperature)
			sum += weights[token]
		}
	}
	left := sum * rand.New(rand.NewPCG(uint64(s.Seed), uint64(s.Position))).Float64()
	for token, w := range weights {
		if left -= w; left < 0 {
			return int32(token)
		}
	}
	return -2
}

func TestDrawsAreThoseOfTheChainStepByStep(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	drawn := map[int32]bool{}
	for _, s := range []backends.Sampling{
		{Temperature: 1}, {Temperature: 0.7, TopP: 0.9}, {Temperature: 1, TopP: 0.95, MinP: 0.01},
		{Temperature: 3, TopP: 0.3},
		{Temperature: 1.5, TopK: 64, TopP: 0.95}, {Temperature: 1, TopK: 1}, {Temperature: 2, TopK: 1500, MinP: 0.05},
		{Temperature: 1, TopP: 0.9, RepeatPenalty: 1.1}, {RepeatPenalty: 1.3, FrequencyPenalty: 0.5, PresencePenalty: 0.7},
		{Temperature: 1, TopK: 4000, FrequencyPenalty: 0.5, PresencePenalty: -0.7},
	} {
		for i := range 120 {
			n := []int{10, 900, 5000}[i%3]
			scores := roughScores(random, n, []float64{0.1, 1, 3, 6, 30}[i%5], []float64{0, 0, 1e-3, 0.1}[i%4])
			sampler := engine.Sampler{Sampling: s, Position: i, Before: []int32{1, 2, 3, 3, int32(n - 1)}}
			sampler.Seed = uint32(i % 7)
			got, want := Draw(scores, slices.Max(scores), &sampler), plainDraw(scores, sampler)
			assert.Equal(t, got, want, "%+v, %d tokens, round %d", s, n, i)
			drawn[got] = true
		}
	}
	assert.Assert(t, len(drawn) > 100, "%d tokens were drawn: the test says little", len(drawn))
}

// Each token comes as often as it should, over the positions of a completion and over seeds, and one says nothing of
// the next.
func TestDrawsAreIndependent(t *testing.T) {
	scores := []float32{0, float32(math.Log(2)), float32(math.Log(3)), float32(math.Log(4))} // 10, 20, 30, 40 %
	const rounds = 40_000
	for name, at := range map[string]func(i int) (seed uint32, position int){
		"positions": func(i int) (uint32, int) { return 7, i },
		"seeds":     func(i int) (uint32, int) { return uint32(i), 3 },
	} {
		var pairs [4][4]float64
		last := int32(0)
		for i := range rounds {
			s := engine.Sampler{Sampling: backends.Sampling{Temperature: 1}}
			s.Seed, s.Position = at(i)
			drawn := Draw(scores, scores[3], &s)
			pairs[last][drawn]++
			last = drawn
		}
		chi := 0.0
		for a := range pairs {
			for b, n := range pairs[a] {
				want := rounds * float64((a+1)*(b+1)) / 100
				chi += (n - want) * (n - want) / want
			}
		}
		assert.Check(t, chi < 37.7, "%s: χ² %.1f with 15 degrees of freedom: %v", name, chi, pairs) // p = 0.001
	}
}

// Penalties may leave no number; where even the largest score is none, nothing is drawn.
func TestNothingIsDrawnFromPenaltiesThatOverflow(t *testing.T) {
	s := engine.Sampler{Sampling: backends.Sampling{Temperature: 1, RepeatPenalty: 1e-45}, Before: []int32{1}}
	assert.Equal(t, Draw([]float32{1, 2}, 2, &s), None)
}

func TestTheLikeliestAreTheFirstOfASortedVocabulary(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i, n := range []int{0, 1, 40, 999, 1000, 3000, 4999, 5000} {
		scores := roughScores(random, 5000, 2, []float64{0, 0.1}[i%2])
		order := make([]int32, len(scores))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
		assert.Check(t, slices.Equal(Likeliest(scores, n), order[:n]), "%d", n)
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{256_000, 49_152} {
		scores := roughScores(rand.New(rand.NewPCG(3, 4)), n, 1, 0)
		for i := range 1000 {
			scores[i*n/1000] += float32(20 - 2*math.Log(float64(i+1))) // those that come into question
		}
		best := slices.Max(scores)
		all := []backends.Sampling{{Temperature: 1}, {Temperature: 0.7, TopP: 0.9}}
		for _, k := range []int{40, 999, 1000, 5000, 200_000} {
			all = append(all, backends.Sampling{Temperature: 0.7, TopK: k})
		}
		for _, s := range all {
			b.Run(fmt.Sprintf("%s, %d", s.List(), n), func(b *testing.B) {
				sampler := engine.Sampler{Sampling: s}
				for b.Loop() {
					sampler.Position++
					Draw(scores, best, &sampler)
				}
			})
		}
	}
}
