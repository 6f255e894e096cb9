package adaptive

import (
	"math"

	"proctor/runner/mark/stats"
)

// Counts are how many questions of each stratum are known after a block, and flip.
type Counts struct{ Known, Flips []int }

// A Calibrated is what was expected of a stratum, and what was seen.
type Calibrated struct {
	Questions int          `json:"questions"` // in the set
	Right     bool         `json:"right"`     // the reference has them right
	Known     int          `json:"known"`
	Flips     int          `json:"flips"`
	Expected  stats.Number `json:"expected,omitzero"` // flips among the known ones, each by what was known before its block
}

// Calibrate compares what was expected of each block with what was seen, and says by how much of its deviance the model of flips is
// better than one share for all questions: 1 is perfect, 0 as good, and below 0 worse.
func Calibrate(strata []Stratum, blocks []Counts) (all []Calibrated, explained stats.Number) {
	before, expected := make([]learnt, len(strata)), make([]float64, len(strata))
	model, known, flipped := 0.0, 0.0, 0.0
	for _, block := range blocks {
		shares := expect(strata, before, believed)
		for h, share := range shares {
			flips, n := float64(block.Flips[h])-before[h].flips, float64(block.Known[h])-before[h].known
			expected[h] += n * share
			model -= 2 * (flips*math.Log(share) + (n-flips)*math.Log(1-share))
			known, flipped = known+n, flipped+flips
			before[h] = learnt{known: float64(block.Known[h]), flips: float64(block.Flips[h])}
		}
	}
	for h, s := range strata {
		all = append(all, Calibrated{s.Questions, s.Right, int(before[h].known), int(before[h].flips), stats.Of(expected[h])})
	}
	if flipped > 0 && flipped < known {
		share := flipped / known
		alike := -2 * (flipped*math.Log(share) + (known-flipped)*math.Log(1-share))
		explained = stats.Of(1 - model/alike)
	}
	return all, explained
}
