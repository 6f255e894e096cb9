package metrics

import (
	"maps"
	"math"
	"slices"

	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Repeats are the figures of asking every item several times. An item is here one prompt, however often it was asked; means are over a
// question's items first, then over questions. Errors are left out, so an item can have fewer repeats.
type Repeats struct {
	Repeats int            `json:"repeats"` // as planned
	Items   int            `json:"items"`   // prompts with a scored repeat
	Mean    stats.Number   `json:"mean,omitzero"`
	SE      stats.Number   `json:"se,omitzero"`
	CI      stats.Interval `json:"ci,omitzero"`
	RunSD   stats.Number   `json:"run_sd,omitzero"`        // standard deviation of the accuracy between runs of the same items
	Vote    stats.Number   `json:"majority_vote,omitzero"` // the gold letter given more often than any other
	VoteCI  stats.Interval `json:"majority_vote_ci,omitzero"`
	Noise   stats.Number   `json:"noise_floor,omitzero"` // share of items whose letter differs between repeats
	NoiseCI stats.Interval `json:"noise_floor_ci,omitzero"`
	Changed stats.Number   `json:"answer_changed,omitzero"` // expected between two more runs: another letter, or one with none
	Flips   stats.Number   `json:"flips,omitzero"`          // expected between two more runs: right in one only
}

// repeats sets these figures.
func (r *Summary) repeats(v results.View, s *settings) {
	items := askings(v)
	mean := stats.Mean(v.QuestionMeans(), s.confidence)
	p := &Repeats{Repeats: s.repeats, Mean: mean.Value, SE: mean.SE, CI: mean.Interval}
	for _, a := range items {
		if a.scored > 0 {
			p.Items++
		}
	}
	p.Flips = s.ofItems(items, asking.flips).Value
	if flips, defined := p.Flips.Get(); defined {
		p.RunSD = stats.Of(math.Sqrt(flips / 2 / float64(p.Items)))
	}
	p.Changed = s.ofItems(items, asking.unlike).Value
	p.Noise, p.NoiseCI = s.shareOfItems(items, asking.unlike)
	p.Vote, p.VoteCI = s.shareOfItems(items, asking.elects)
	r.Repeats = p
	if left := p.Items*s.repeats - r.Scored(); left > 0 {
		r.warn(AboutRepeats, format.Several(left, "repeat")+" without an answer, left out")
	}
}

// An asking is one prompt with the letters of its scored repeats.
type asking struct {
	question      int // number of its question in the view, from 0
	gold          string
	scored, right int
	letters       map[string]int // how often each came; "" for no answer
}

// unlike is the share of pairs of repeats with different letters.
func (a asking) unlike() stats.Number { return stats.Unlike(slices.Collect(maps.Values(a.letters))) }

// flips is the share of pairs of repeats with one right and one wrong.
func (a asking) flips() stats.Number { return stats.Unlike([]int{a.right, a.scored - a.right}) }

// elects is 1 where the gold letter was given more often than any other, else 0. A missing answer is no vote.
func (a asking) elects() stats.Number {
	if a.scored == 0 {
		return stats.Undefined
	}
	for letter, votes := range a.letters {
		if letter != a.gold && letter != "" && votes >= a.right {
			return stats.Of(0)
		}
	}
	return stats.Of(min(1, float64(a.right)))
}

// askings groups the items by prompt, question by question.
func askings(v results.View) []asking {
	var all []asking
	questions := 0
	for question := range v.Questions() {
		at := map[string]int{} // by variant
		for a := range question.Answers() {
			n, seen := at[a.Variant]
			if !seen {
				n = len(all)
				at[a.Variant] = n
				all = append(all, asking{question: questions, gold: a.Gold, letters: map[string]int{}})
			}
			if a.Tag.IsError() {
				continue
			}
			one := &all[n]
			one.scored++
			one.letters[a.Letter]++
			if a.Correct {
				one.right++
			}
		}
		questions++
	}
	return all
}

// ofItems is the mean of a figure over each question's items, then over questions, where it is defined.
func (s *settings) ofItems(items []asking, of func(asking) stats.Number) stats.Estimate {
	var means []float64
	for question := range results.Groups(items, func(a, b asking) bool { return a.question == b.question }) {
		var values []float64
		for _, a := range question {
			if x, defined := of(a).Get(); defined {
				values = append(values, x)
			}
		}
		if mean, defined := average(values).Get(); defined {
			means = append(means, mean)
		}
	}
	return stats.Mean(means, s.confidence)
}

// shareOfItems is the share of items whose figure is above 0: the mean over each question's items, then over questions, where it is
// defined. Where every question has one item these are independent, and the interval is that of a proportion.
func (s *settings) shareOfItems(items []asking, of func(asking) stats.Number) (stats.Number, stats.Interval) {
	yes, n := 0, 0
	estimate := s.ofItems(items, func(a asking) stats.Number {
		x, known := of(a).Get()
		if !known {
			return stats.Undefined
		}
		n++
		if x <= 0 {
			return stats.Of(0)
		}
		yes++
		return stats.Of(1)
	})
	if len(items) == 0 || items[len(items)-1].question == len(items)-1 {
		return stats.Ratio(yes, n), s.proportion(yes, n).Interval
	}
	return estimate.Value, estimate.Interval
}
