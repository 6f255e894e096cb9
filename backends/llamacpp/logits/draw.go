package logits

import (
	"math"
	"math/rand/v2"
	"slices"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// Draw draws a token from scores, whose largest is best, as llama.cpp's chain of samplers does: penalties, top-k,
// top-p, min-p, temperature, then a draw from what is left; at temperature 0 penalties, then the likeliest token. The
// random number is made of the seed and the token's position alone, so a completion that is resumed, or that forks, is
// drawn as in one piece. Each step narrows down where, in the order of scores, those end that are kept: none sorts more
// of the vocabulary than it must.
func Draw(scores []float32, best float32, s *engine.Sampler) int32 {
	if s.Penalises() {
		scores = penalised(scores, s)
		likeliest := Argmax(scores)
		if likeliest == None || s.Temperature <= 0 {
			return likeliest
		}
		best = scores[likeliest]
	}
	kept := end{score: float32(math.Inf(-1)), token: math.MaxInt32}
	if 0 < s.TopK && s.TopK < len(scores) {
		last := Likeliest(scores, s.TopK)[s.TopK-1]
		kept = end{scores[last], int(last)}
	}
	if 0 < s.TopP && s.TopP < 1 {
		kept = kept.nucleus(scores, best, s.TopP)
	}
	if least := best + float32(math.Log(s.MinP)); s.MinP > 0 && least > kept.score {
		kept = end{least, math.MaxInt32}
	}
	// The weights of each block are summed up, so that only one block's are computed twice.
	const block = 1024
	var sums []float64
	sum, inverse := 0.0, 1/s.Temperature
	for from := 0; from < len(scores); from += block {
		before := sum
		for i, score := range scores[from:min(from+block, len(scores))] {
			if kept.holds(from+i, score) {
				sum += decay(float64(best-score) * inverse)
			}
		}
		sums = append(sums, sum-before)
	}
	left, at := sum*rand.New(rand.NewPCG(uint64(s.Seed), uint64(s.Position))).Float64(), 0
	for i, weights := range sums {
		if weights == 0 {
			continue
		}
		if at = i; left < weights {
			break
		}
		left -= weights
	}
	drawn := None
	for token := at * block; token < len(scores) && left >= 0; token++ {
		weight := decay(float64(best-scores[token]) * inverse)
		if weight > 0 && kept.holds(token, scores[token]) {
			drawn, left = int32(token), left-weight
		}
	}
	return drawn
}

// penalised returns the scores after the penalties, as floats like llama.cpp's.
func penalised(scores []float32, s *engine.Sampler) []float32 {
	counts := map[int32]int{}
	for _, token := range s.Before[max(0, len(s.Before)-backends.PenaltyWindow):] {
		counts[token]++
	}
	scores = slices.Clone(scores)
	repeat := float32(s.RepeatPenalty)
	for token, n := range counts {
		x := &scores[token]
		switch {
		case repeat == 0: // none
		case *x <= 0:
			*x *= repeat
		default:
			*x /= repeat
		}
		*x -= float32(n)*float32(s.FrequencyPenalty) + float32(s.PresencePenalty)
	}
	return scores
}

// An end is the last token that is kept, in the order of scores and of equal ones of tokens.
type end struct {
	score float32
	token int
}

func (e end) holds(token int, score float32) bool {
	return score > e.score || score == e.score && token <= e.token
}

// nucleus returns where the likeliest tokens end that together have the probability p among those that are kept. They
// are sorted into classes by how far they are below the best one, so that only those of the last class have to be
// sorted further. A token with less than 2⁻²⁵ of the best one's probability does not count: llama.cpp's sum of floats
// loses it, too.
func (e end) nucleus(scores []float32, best float32, p float64) end {
	const (
		ofUnit  = 8
		classes = 25 * ofUnit * 7 / 10
	)
	least := best - float32(classes-1)/ofUnit
	class := func(score float32) int { return int(ofUnit * (best - score)) }
	var masses [classes]float64
	sum := 0.0
	for token, score := range scores {
		if score >= least && e.holds(token, score) {
			mass := decay(float64(best - score))
			masses[class(score)] += mass
			sum += mass
		}
	}
	last, left := 0, sum*p
	for ; last < classes-1 && left > masses[last]; last++ {
		left -= masses[last]
	}
	var border []uint64
	for token, score := range scores {
		if score >= least && class(score) == last && e.holds(token, score) {
			border = append(border, key(token, score))
		}
	}
	slices.Sort(border)
	for _, k := range border {
		token := int(uint32(k))
		if left -= decay(float64(best - scores[token])); left <= 0 {
			return end{scores[token], token}
		}
	}
	return e
}

// decays are exp(-x) where x is a multiple of 1/16, below 64.
var decays = func() (all [1024]float64) {
	for i := range all {
		all[i] = math.Exp(-float64(i) / 16)
	}
	return all
}()

// decay is exp(-x), to eight digits, of an x that is not below 0; from 64 on it is 0. math.Exp takes several times as
// long, which a large vocabulary makes milliseconds a token.
func decay(x float64) float64 {
	if !(x < 64) {
		return 0
	}
	i := int(16 * x)
	r := x - float64(i)/16
	return decays[i] * (1 - r*(1-r*(1./2-r*(1./6-r/24))))
}
