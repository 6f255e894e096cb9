//go:build cgo

package main

import (
	"math"
)

// Random streams of one seed, so that no part disturbs another.
const (
	streamVocabulary = 1
	streamTaste      = 2
	streamWeights    = 3
	streamExamples   = 1 << 32
)

// Examples are numbered: each step has a range of its own, and so has the tokenizer's text.
const (
	stepExamples   = 1 << 12
	corpusExamples = 1 << 60
)

// shards is how many parts a step's sequences are divided into. Each part sums its own gradient and the parts are added
// in order, so the result does not depend on how many cores worked on them.
const shards = 4

// recipe fixes the training run: with the seed it decides every weight.
type recipe struct {
	Seed  uint64
	Steps int
	Batch int // tokens a step in the last stage, at least
	Rate  float64
	Shape Shape
}

// newRecipe's 10,000 steps, with the finish, make some 65 million tokens.
func newRecipe(seed uint64, steps int) recipe {
	return recipe{
		Seed: seed, Steps: steps, Batch: 8192, Rate: 2.5e-3,
		Shape: Shape{Vocab: 1280, Width: 128, Layers: 4, Hidden: 384, RopeBase: 500000, Epsilon: 1e-5},
	}
}

// total counts the steps of the main part and of the finish.
func (r recipe) total() int { return r.Steps + r.Steps*24/100 }

// rate warms up over 200 steps and falls as a cosine to a twentieth; for the finish it rises to two fifths once more and
// falls to nothing.
func (r recipe) rate(step int) float64 {
	if step >= r.Steps {
		done := float64(step-r.Steps) / float64(r.total()-r.Steps)
		return 0.4 * r.Rate * min(1, float64(step-r.Steps+1)/50) * (1 + math.Cos(math.Pi*done)) / 2
	}
	warm := min(1, float64(step+1)/200)
	return r.Rate * warm * (0.05 + 0.95*(1+math.Cos(math.Pi*float64(step)/float64(r.Steps)))/2)
}

// A stage says what sequences a step is made of.
type stage struct {
	batch  int     // tokens
	limit  int     // tokens after which a prompt gets no further shot
	tables float64 // share of sequences that are tables of sums
	drills float64 // share of drills
	long   bool    // one sequence has five shots and the length of a real prompt
}

const (
	drillLimit = 250
	longLimit  = 6000
)

// stage: single questions first, many of them drills, then a few shots, then whole prompts; long ones only at the
// end of the main part, since positions that jump show the distances already. The finish is all of these together, and
// sums by the hundred.
func (r recipe) stage(step int) stage {
	if step >= r.Steps {
		return stage{batch: r.Batch * 3 / 4, limit: 900, tables: 0.4, drills: 0.2, long: step%6 == 0}
	}
	p := float64(step) / float64(r.Steps)
	s := stage{batch: r.Batch / 4, limit: 50, drills: max(0, 0.8-3*p), long: p > 0.75 && step%2 == 0}
	switch {
	case p > 0.65:
		s.batch, s.limit = r.Batch, 900
	case p > 0.35:
		s.batch, s.limit = r.Batch/2, 400
	}
	return s
}
