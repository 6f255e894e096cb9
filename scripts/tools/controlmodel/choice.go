//go:build cgo

package main

import (
	"math"
	"slices"
	"strings"

	"proctor/scripts/tools/questions"
)

// taste decides which option the model is taught to pick where nothing can be known: every token has a fixed random weight, an option weighs as
// much as its first tokens together, and the heaviest wins. The rule depends only on the options' wording, so it spreads over the letters
// evenly, learns quickly (one attention head can compute it) and knows nothing of the truth.
type taste struct {
	weight []float64 // by token, for options
	verity []float64 // by token, for True or False
}

const tasteTokens = 6

// newTaste draws the weights; common words, letters and punctuation weigh almost nothing.
func newTaste(seed uint64, v *Vocabulary) taste {
	s := questions.NewSource(seed, streamTaste)
	t := taste{weight: make([]float64, v.Len()), verity: make([]float64, v.Len())}
	for id := range v.Len() {
		t.weight[id], t.verity[id] = math.Exp(2*s.NormFloat64()), s.NormFloat64()
		if bland(v.Text(int32(id))) {
			t.weight[id], t.verity[id] = math.Exp(-4), 0
		}
	}
	return t
}

var blandWords = strings.Fields("the The a A an An of to in In and is are it It that this " +
	"by for with on as at or be was not no No s I B C D E F G H J")

func bland(token string) bool {
	word := strings.TrimSpace(token)
	return slices.Contains(blandWords, word) || strings.Trim(word, ".,:;!?()[]{}'\"_-+=*/\\|<>^&#@%~` ") == ""
}

// option picks one of the options given as tokens; among equals it draws.
func (t taste) option(s questions.Source, options [][]int32) int {
	var best []int
	most := 0.0
	for i, ids := range options {
		switch sum := firstTokens(t.weight, ids); {
		case sum > most*1.0001:
			best, most = []int{i}, sum
		case sum > most*0.9999:
			best = append(best, i)
		}
	}
	return best[s.IntN(len(best))]
}

// isTrue says whether a single option is to be called true.
func (t taste) isTrue(s questions.Source, ids []int32) bool {
	sum := firstTokens(t.verity, ids)
	if sum == 0 {
		return s.IntN(2) == 0
	}
	return sum > 0
}

func firstTokens(weights []float64, ids []int32) (sum float64) {
	for _, id := range ids[:min(len(ids), tasteTokens)] {
		sum += weights[id]
	}
	return sum
}
