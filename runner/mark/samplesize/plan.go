// Package samplesize finds how many questions a run needs: for an interval of some width, or for a difference between
// two models. The formulas come from package stats; `run --dry-run` has the time. Neighbours: runner/report writes a
// [Plan].
package samplesize

import (
	"cmp"
	"fmt"
	"math"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// An Aim is what a run should be able to show. Shares, not percentages; 0 means that it is no aim.
type Aim struct {
	HalfWidth  float64 // of the interval around the headline
	Detect     float64 // difference between two models
	Confidence float64
}

// A Plan is the number of questions for an aim, out of those that a set has.
type Plan struct {
	Data       string     `json:"data"`
	Published  bool       `json:"published,omitempty"` // its questions are the published ones
	Confidence float64    `json:"confidence"`
	Available  int        `json:"available"` // questions there are
	Questions  int        `json:"questions"` // to ask
	Enough     bool       `json:"enough"`    // for everything that was aimed at
	Precision  Precision  `json:"precision"`
	Detection  *Detection `json:"detection,omitempty"`
}

// Precision is the number of questions that a half width needs, and the half width that the plan reaches.
type Precision struct {
	Target   stats.Number `json:"target,omitzero"`
	Expected float64      `json:"expected"`         // headline assumed for the half width
	Needed   int          `json:"needed,omitempty"` // questions
	Reached  stats.Number `json:"reached,omitzero"` // half width with the plan's questions
	Enough   bool         `json:"enough"`
}

// Detection is the number of questions that a difference needs, and the difference that the plan detects, with both
// models asked the same questions.
type Detection struct {
	Target      stats.Number `json:"target"`
	Discordance float64      `json:"discordance"` // assumed share of questions that exactly one of the two gets right
	Power       float64      `json:"power"`
	Needed      int          `json:"needed"`  // questions
	Reached     stats.Number `json:"reached"` // smallest difference that the plan finds
	Enough      bool         `json:"enough"`
}

// WorstCase is the accuracy around which intervals are widest.
const WorstCase = 0.5

// Discordance is the assumed share of questions on which two models differ: about that of two quantisations of one
// model. Two different models differ on several times as many.
const Discordance = 0.08

// Size returns how many of the available questions to ask. A limit above 0 overrides the aim.
func (a Aim) Size(available, limit int) (Plan, error) {
	p := Plan{Confidence: a.Confidence, Available: available, Precision: Precision{Expected: WorstCase}}
	needed := 0
	if a.HalfWidth > 0 {
		n, ok := stats.QuestionsForHalfWidth(a.HalfWidth, WorstCase, a.Confidence)
		if !ok {
			return p, fmt.Errorf("no possible number of questions gives a half width of %s", format.TypedPoints(a.HalfWidth))
		}
		p.Precision.Target, p.Precision.Needed, needed = stats.Of(a.HalfWidth), n, n
	}
	if a.Detect > Discordance {
		return p, fmt.Errorf("%s: models that differ on %s of the questions, as is assumed, cannot differ by more than %s "+
			"in accuracy",
			setting.Detect.As(format.TypedPoints(a.Detect)), format.TypedShare(Discordance), format.TypedPoints(Discordance))
	}
	if a.Detect > 0 {
		n, ok := stats.QuestionsToDetect(a.Detect, Discordance, a.Confidence, stats.DefaultPower)
		if !ok {
			return p, fmt.Errorf("no possible number of questions detects a difference of %s", format.TypedPoints(a.Detect))
		}
		p.Detection = &Detection{Target: stats.Of(a.Detect), Discordance: Discordance, Power: stats.DefaultPower, Needed: n}
		needed = max(needed, n)
	}
	p.Questions = min(cmp.Or(limit, needed, available), available)
	p.Enough = needed <= p.Questions
	p.Precision.Reached = stats.ExpectedHalfWidth(float64(p.Questions), WorstCase, a.Confidence)
	p.Precision.Enough = p.Precision.Needed <= p.Questions
	if d := p.Detection; d != nil {
		d.Reached = stats.Detectable(math.Sqrt(Discordance/float64(p.Questions)), a.Confidence, stats.DefaultPower)
		d.Enough = d.Needed <= p.Questions
	}
	return p, nil
}
