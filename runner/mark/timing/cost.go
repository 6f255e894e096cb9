package timing

import (
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Cost is the cost of a question: all its items with a completion, every repeat counted. Tokens a second flatter a model that writes
// more to say the same; these figures do not. Seconds are the items' part of the wall time, shared equally by items in flight, or,
// where the journal does not have that, their prefill and decode.
type Cost struct {
	Seconds   stats.Number   `json:"seconds_per_question,omitzero"`
	SecondsCI stats.Interval `json:"seconds_per_question_ci,omitzero"`
	Output    stats.Number   `json:"output_tokens_per_question,omitzero"`
	OutputCI  stats.Interval `json:"output_tokens_per_question_ci,omitzero"`
	Right     stats.Number   `json:"seconds_per_right_answer,omitzero"` // the seconds of all items that did not fail, by the number of right ones
	RightCI   stats.Interval `json:"seconds_per_right_answer_ci,omitzero"`
}

// A Clock gives an item's seconds; known is false where the journal does not have them.
type Clock func(it *results.Item) (seconds float64, known bool)

// ClockOf is the clock of a run.
func ClockOf(run *results.Run) Clock {
	of := func(it *results.Item) time.Duration { return it.Wall }
	if run.Times == nil {
		of = func(it *results.Item) time.Duration { return it.Timing.Prefill + it.Timing.Decode }
	}
	if run.Times == nil && overlapping(&run.Header) {
		of = func(*results.Item) time.Duration { return 0 }
	}
	return func(it *results.Item) (float64, bool) { return of(it).Seconds(), of(it) > 0 }
}

// CostOf is the cost of some of a run's items, with intervals that take the questions as their units. It is undefined where
// an item with a completion has no time, and its tokens where none is counted.
func CostOf(v results.View, clock Clock, confidence float64) Cost {
	var seconds, output, right [][]float64
	timed, counted := true, false
	for question := range v.Questions() {
		took, wrote, correct, scored := 0.0, 0.0, 0.0, false
		for a := range question.Scored() {
			s, known := clock(a.Item)
			timed = timed && known
			scored = true
			took, wrote = took+s, wrote+float64(a.Usage.OutputTokens)
			if a.Correct {
				correct++
			}
		}
		if scored {
			counted = counted || wrote > 0
			seconds, output = append(seconds, []float64{took, 1}), append(output, []float64{wrote, 1})
			right = append(right, []float64{took, correct})
		}
	}
	ratio := func(known bool, questions [][]float64) (stats.Number, stats.Interval) {
		if !known {
			return stats.Undefined, stats.Interval{}
		}
		e := stats.PositiveOfTotals(questions, stats.OfRatio, confidence)
		return e.Value, e.Interval
	}
	var c Cost
	c.Seconds, c.SecondsCI = ratio(timed, seconds)
	c.Output, c.OutputCI = ratio(counted, output)
	c.Right, c.RightCI = ratio(timed, right)
	return c
}

// overlapping says whether the backend's times of different items may overlap.
func overlapping(h *journal.Header) bool { return len(h.Backend.Servers) > 0 && h.Backend.Slots != 1 }
