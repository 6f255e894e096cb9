package metrics

import (
	"maps"
	"slices"

	"proctor/runner/mark/results"
)

// Shots say what a run showed its items that shows fewer shots to what does not fit.
type Shots struct {
	Context int         `json:"context"` // tokens that a prompt with its answer was to fit
	Fewer   int         `json:"fewer"`   // items that were shown fewer shots than the run's
	Items   []ShotCount `json:"items"`   // by the number of shots, the most first
}

// A ShotCount is how many items were shown so many shots, and how many of them were answered right.
type ShotCount struct {
	Shots   int `json:"shots"`
	Items   int `json:"items"`
	Correct int `json:"correct"`
}

// shotsOf counts a run's scored items; nil where it showed all of them the same.
func shotsOf(run *results.Run, v results.View) *Shots {
	if run.Header.ShotsFit == 0 {
		return nil
	}
	s := &Shots{Context: run.Header.ShotsFit}
	counts := map[int]ShotCount{}
	for a := range v.Scored() {
		shown := run.Header.Shots
		if a.Shots != nil && *a.Shots >= 0 && *a.Shots < shown {
			shown = *a.Shots
			s.Fewer++
		}
		c := counts[shown]
		c.Shots = shown
		c.Items++
		if a.Correct {
			c.Correct++
		}
		counts[shown] = c
	}
	for _, shown := range slices.Backward(slices.Sorted(maps.Keys(counts))) {
		s.Items = append(s.Items, counts[shown])
	}
	return s
}
