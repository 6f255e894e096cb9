package samplesize

import (
	"cmp"
	"fmt"
	"math"

	"proctor/backends/setting"
	"proctor/prompts/dataset"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

// An Aim is what a run should be able to show. Shares, not percentages; 0 means that it is no aim.
type Aim struct {
	HalfWidth   float64 // of the interval around the headline
	Expected    float64 // headline that is expected; 0.5 asks for the most questions
	Detect      float64 // difference between two models
	Discordance float64 // share of questions that exactly one of the two gets right
	Source      string  // of the discordance, for people
	Confidence  float64
}

// WorstCase is the accuracy around which intervals are widest.
const WorstCase = 0.5

// Check refuses differences that two models cannot have.
func (a Aim) Check() error {
	switch {
	case a.Detect > 0 && a.Discordance == 0:
		return fmt.Errorf("to detect a difference needs the discordance, the share of questions that one model gets right and the other wrong: "+
			"%s, or %s to measure it", setting.Discordance.As("F"), setting.Runs.As("A B"))
	case a.Detect > a.Discordance && a.Detect > 0:
		return fmt.Errorf("models that differ on %s of the questions (%s) cannot differ by %s in accuracy: "+
			"give %s, or %s to measure it", format.TypedShare(a.Discordance), cmp.Or(a.Source, "as given"),
			format.TypedPoints(a.Detect), setting.Discordance.As("F"), setting.Runs.As("A B"))
	}
	return nil
}

// A Size is the number of questions for an aim, out of the available ones.
type Size struct {
	Available int        `json:"available"` // questions there are
	Questions int        `json:"questions"` // to ask
	Enough    bool       `json:"enough"`    // for everything that was aimed at
	Precision *Precision `json:"precision,omitempty"`
	Detection *Detection `json:"detection,omitempty"`
}

// Precision is the number of questions that a half width needs, and the half width that the plan reaches.
type Precision struct {
	Target   stats.Number `json:"target,omitzero"`
	Expected float64      `json:"expected"`         // headline assumed for the half width
	Needed   int          `json:"needed,omitempty"` // questions
	Reached  stats.Number `json:"reached,omitzero"` // half width with the plan's questions
	Enough   bool         `json:"enough"`
}

// Detection is the number of questions that a difference needs, and the difference that the plan detects, with both models asked the
// same questions.
type Detection struct {
	Target      stats.Number `json:"target,omitzero"`
	Discordance float64      `json:"discordance"`
	Source      string       `json:"discordance_source"`
	Power       float64      `json:"power"`
	Needed      int          `json:"needed,omitempty"` // questions
	Reached     stats.Number `json:"reached,omitzero"` // smallest difference that the plan finds
	Enough      bool         `json:"enough"`
}

// Size is how many of the available questions to ask. A limit above 0 overrides the aim.
func (a Aim) Size(available, limit int) (Size, error) {
	if err := a.Check(); err != nil {
		return Size{}, err
	}
	s := Size{Available: available, Precision: &Precision{Expected: a.Expected}}
	needed := 0
	if a.HalfWidth > 0 {
		n, ok := stats.QuestionsForHalfWidth(a.HalfWidth, a.Expected, a.Confidence)
		if !ok {
			return Size{}, fmt.Errorf("no possible number of questions gives a half width of %s", format.TypedPoints(a.HalfWidth))
		}
		s.Precision.Target, s.Precision.Needed, needed = stats.Of(a.HalfWidth), n, n
	}
	if a.Discordance > 0 {
		s.Detection = &Detection{Discordance: a.Discordance, Source: cmp.Or(a.Source, "as given"), Power: stats.DefaultPower}
	}
	if a.Detect > 0 {
		n, ok := stats.QuestionsToDetect(a.Detect, a.Discordance, a.Confidence, stats.DefaultPower)
		if !ok {
			return Size{}, fmt.Errorf("no possible number of questions detects a difference of %s", format.TypedPoints(a.Detect))
		}
		s.Detection.Target, s.Detection.Needed, needed = stats.Of(a.Detect), n, max(needed, n)
	}
	s.Questions = min(cmp.Or(max(0, limit), needed, available), available)
	s.Enough = needed <= s.Questions
	s.Precision.Reached = stats.ExpectedHalfWidth(float64(s.Questions), a.Expected, a.Confidence)
	s.Precision.Enough = s.Precision.Needed <= s.Questions
	if d := s.Detection; d != nil {
		d.Reached = stats.Detectable(math.Sqrt(a.Discordance/float64(s.Questions)), a.Confidence, stats.DefaultPower)
		d.Enough = d.Needed <= s.Questions
	}
	return s, nil
}

// Draw is how many questions of a task to ask, within the selection.
func (a Aim) Draw(set *dataset.Set, selection dataset.Selection) (Size, error) {
	all := selection
	all.Limit, all.PerSubject, all.Share, all.First = 0, 0, 0, false
	questions, err := set.Select(all)
	if err != nil {
		return Size{}, err
	}
	limit := selection.Limit
	if selection.BySubject() {
		drawn, err := set.Select(selection)
		if err != nil {
			return Size{}, err
		}
		limit = len(drawn)
	}
	return a.Size(len(questions), limit)
}
