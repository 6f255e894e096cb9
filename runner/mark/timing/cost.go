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
	Seconds stats.Number `json:"seconds_per_question,omitzero"`
	Output  stats.Number `json:"output_tokens_per_question,omitzero"`
	// the seconds of all items that did not fail, by the number of right ones
	Right stats.Number `json:"seconds_per_right_answer,omitzero"`
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

// CostOf is the cost of some of a run's items. It is undefined where an item with a completion has no time, and its
// tokens where none is counted.
func CostOf(v results.View, clock Clock) (c Cost) {
	seconds, tokens, questions, timed := 0.0, 0, 0, true
	for question := range v.Questions() {
		if question.Tally().Scored() > 0 {
			questions++
		}
		for a := range question.Scored() {
			took, known := clock(a.Item)
			timed = timed && known
			seconds, tokens = seconds+took, tokens+a.Usage.OutputTokens
		}
	}
	if timed {
		c.Seconds, c.Right = stats.Of(seconds/float64(questions)), stats.Of(seconds/float64(v.Tally().Correct))
	}
	if tokens > 0 {
		c.Output = stats.Ratio(tokens, questions)
	}
	return c
}

// overlapping says whether the backend's times of different items may overlap.
func overlapping(h *journal.Header) bool { return len(h.Backend.Servers) > 0 && h.Backend.Slots != 1 }
