package llama

import (
	"cmp"
	"math"
	"slices"

	"proctor/backends/llamacpp/logits"
)

// llama.cpp's samplers sort a whole vocabulary, or much of it, to keep a few tokens; cut finds those alone. In which order llama.cpp
// sorts equal scores, and whether its sum of floats has reached a number that is close, only llama.cpp knows: there cut finds nothing.

// cut returns the tokens that llama.cpp's top-k, or its top-p alone, keeps, the likeliest first; best is the largest score.
func (s *Sampler) cut(scores []float32, best float32) []candidate {
	if s.topK == 0 {
		return topP(scores, best, s.topP)
	}
	if s.topK >= len(scores) {
		return nil
	}
	var likely []candidate
	for _, token := range logits.Likeliest(scores, s.topK+1) {
		likely = append(likely, candidate{token: token, score: scores[token]})
	}
	return distinct(likely, s.topK)
}

// distinct returns the first k of sorted candidates, or nil if one of them has the same score as its successor.
func distinct(sorted []candidate, k int) []candidate {
	for i := range min(k, len(sorted)-1) {
		if sorted[i].score == sorted[i+1].score {
			return nil
		}
	}
	return sorted[:k]
}

// Scores are sorted into classes by how far they are below the best one, a few of a unit.
const (
	classes = 256
	ofUnit  = 8
)

func topP(scores []float32, best, p float32) []candidate {
	const (
		unsure = 1e-5 // of a sum: functions of C libraries differ in some last bits
		many   = 4096 // candidates at most: with more, some have equal scores
	)
	sum, masses := masses(scores, best)
	last, reached := 0, masses[0]
	for want := float64(p) * float64(sum) * (1 + unsure); reached <= want; reached += masses[last] {
		if last++; last == classes {
			return nil
		}
	}
	var likely []candidate
	least := -float32(last+1) / ofUnit
	for token, score := range scores {
		if score-best > least {
			if len(likely) == many {
				return nil
			}
			likely = append(likely, candidate{token: int32(token), score: score})
		}
	}
	slices.SortFunc(likely, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	kept := float32(0)
	for i, c := range likely {
		kept += float32(math.Exp(float64(c.score-best))) / sum
		if math.Abs(float64(kept-p)) <= unsure*float64(p) {
			return nil
		}
		if kept > p {
			return distinct(likely, i+1)
		}
	}
	return nil
}

// masses adds up how likely tokens are, the likeliest 1: all of them as llama.cpp does, in floats one after the other; and those of
// each class.
func masses(scores []float32, best float32) (sum float32, of [classes]float64) {
	least, at := float32(math.Inf(-1)), float32(0) // the least score that still changes the sum, when it was so much
	for _, score := range scores {
		if score < least {
			continue
		}
		x := score - best
		mass := float32(math.Exp(float64(x)))
		if sum += mass; sum > 2*at {
			const lost = 25 * math.Ln2 // half of a float's last bit
			least, at = best+float32(math.Log(float64(sum))-lost)-0.1, sum
		}
		if x > -classes/ofUnit {
			of[int(-ofUnit*x)] += float64(mass)
		}
	}
	return sum, of
}
