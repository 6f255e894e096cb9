package metrics

import (
	"maps"
	"math"
	"slices"

	"proctor/runner/mark/format"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Repeats is what asking every item several times tells. An item is here one prompt, however often it was asked; means
// are over a question's items first, then over questions. Errors are left out, so an item can have fewer repeats.
type Repeats struct {
	Repeats  int            `json:"repeats"` // as planned
	Items    int            `json:"items"`   // prompts with a scored repeat
	Mean     stats.Number   `json:"mean,omitzero"`
	SE       stats.Number   `json:"se,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	Within   stats.Number   `json:"variance_within,omitzero"`  // of a verdict around its item's chance of being right
	Between  stats.Number   `json:"variance_between,omitzero"` // of the items' chances
	RunSD    stats.Number   `json:"run_sd,omitzero"`           // of the accuracy when the same items are asked once more
	ByRepeat []OneRepeat    `json:"by_repeat,omitempty"`
	PassAtK  []AtK          `json:"pass_at_k,omitempty"`    // at least one of k answers is right
	PassAllK []AtK          `json:"pass_hat_k,omitempty"`   // pass^k: all of k answers are right
	VoteAtK  []AtK          `json:"vote_at_k,omitempty"`    // the gold letter is given more often than any other, of k answers
	Vote     stats.Number   `json:"majority_vote,omitzero"` // the gold letter given more often than any other
	VoteCI   stats.Interval `json:"majority_vote_ci,omitzero"`
	Noise    stats.Number   `json:"noise_floor,omitzero"` // items whose letter is not the same in all repeats
	NoiseCI  stats.Interval `json:"noise_floor_ci,omitzero"`
	Changed  stats.Number   `json:"answer_changed,omitzero"` // expected between two more runs: another letter, or one with none
	Flips    stats.Number   `json:"flips,omitzero"`          // expected between two more runs: right in one only
}

// OneRepeat is the accuracy of all items as they were asked one time.
type OneRepeat struct {
	Repeat   int            `json:"repeat"` // from 1
	Items    int            `json:"items"`  // scored
	Correct  int            `json:"correct"`
	Accuracy stats.Number   `json:"accuracy,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	Baseline stats.Number   `json:"baseline,omitzero"`
}

// AtK is the chance of something of k answers to an item, drawn from those given.
type AtK struct {
	K        int            `json:"k"`
	Value    stats.Number   `json:"value,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	Baseline stats.Number   `json:"baseline,omitzero"` // what guessing anew each time scores of the same items
	Items    int            `json:"items"`             // with k scored repeats at least
}

// repeats sets what the repeats tell.
func (r *Summary) repeats(v results.View, s *settings) {
	items := askings(v)
	mean := stats.Mean(v.QuestionMeans(), s.confidence)
	p := &Repeats{Repeats: s.repeats, Mean: mean.Value, SE: mean.SE, CI: mean.Interval}
	clusters := make([]stats.Cluster, len(items))
	for i, a := range items {
		clusters[i] = stats.Cluster{Successes: a.right, Items: a.scored}
		if a.scored > 0 {
			p.Items++
		}
	}
	split := stats.Repeats(clusters, s.confidence)
	p.Within, p.Between = split.Within, split.Between
	if within, defined := split.Within.Get(); defined {
		p.RunSD = stats.Of(math.Sqrt(within / float64(p.Items)))
		p.Flips = stats.Of(2 * within)
	}
	p.Changed = s.ofItems(items, asking.unlike).Value
	p.Noise, p.NoiseCI = s.shareOfItems(items, asking.unlike, 0)
	p.Vote, p.VoteCI = s.shareOfItems(items, func(a asking) stats.Number { return a.vote(a.scored) }, 0.5)
	for k := 1; k <= s.repeats; k++ {
		one := v.Where(func(it *results.Item) bool { return it.Repeat == k })
		t := one.Tally()
		p.ByRepeat = append(p.ByRepeat, OneRepeat{k, t.Scored(), t.Correct, t.Accuracy(), s.accuracy(one).Interval, guess.Expected(one)})
		p.PassAtK = append(p.PassAtK, s.atK(items, k, func(a asking) stats.Number { return stats.PassAtK(a.scored, a.right, k) },
			func(a asking) stats.Number { return stats.Of(1 - math.Pow(1-a.chance, float64(k))) }))
		p.PassAllK = append(p.PassAllK, s.atK(items, k, func(a asking) stats.Number { return stats.PassAllK(a.scored, a.right, k) },
			func(a asking) stats.Number { return stats.Of(math.Pow(a.chance, float64(k))) }))
		p.VoteAtK = append(p.VoteAtK, s.atK(items, k, func(a asking) stats.Number { return a.vote(k) },
			func(a asking) stats.Number { return stats.VoteByChance(a.options, k) }))
	}
	r.Repeats = p
	if left := p.Items*s.repeats - r.Scored(); left > 0 {
		r.warn(AboutRepeats, format.Several(left, "repeat")+" without an answer, left out")
	}
}

// atK is the mean of what of says of k answers, over the items that have them, and of what guessing would score of those.
func (s *settings) atK(items []asking, k int, of, guess func(asking) stats.Number) AtK {
	p := AtK{K: k}
	estimate := s.ofItems(items, func(a asking) stats.Number {
		x := of(a)
		if x.Defined() {
			p.Items++
		}
		return x
	})
	p.Value, p.CI = estimate.Value, estimate.Interval
	if k == s.repeats { // of an item there is one draw, which holds or does not
		p.Value, p.CI = s.shareOfItems(items, of, 0.5)
	}
	p.Baseline = s.ofItems(items, func(a asking) stats.Number {
		if a.scored < k {
			return stats.Undefined
		}
		return guess(a)
	}).Value
	return p
}

// An asking is one prompt with the letters of its scored repeats.
type asking struct {
	question      int // number of its question in the view, from 0
	gold          string
	options       int
	chance        float64 // of guessing it right
	scored, right int
	letters       map[string]int // how often each came; "" for no answer
}

// unlike is the share of pairs of repeats with different letters.
func (a asking) unlike() stats.Number { return stats.Unlike(slices.Collect(maps.Values(a.letters))) }

// vote is the chance that k of the repeats' letters elect the gold one: of all of them it is 0 or 1. No answer is no vote.
func (a asking) vote(k int) stats.Number {
	var rivals []int
	for _, letter := range slices.Sorted(maps.Keys(a.letters)) { // sums depend on their order by a rounding error
		if letter != a.gold && letter != "" {
			rivals = append(rivals, a.letters[letter])
		}
	}
	return stats.VoteAtK(a.letters[a.gold], rivals, a.letters[""], k)
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
				all = append(all, asking{
					question: questions, gold: a.Gold, options: a.Options, chance: guess.Item(a.Item), letters: map[string]int{},
				})
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

// ofItems is the mean over questions of the mean over their items of what of says, where that is defined.
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

// shareOfItems is the mean over questions of the share of their items of which says more than least, where it is defined. Where every
// question has one item these are independent, and the interval is that of a proportion.
func (s *settings) shareOfItems(items []asking, of func(asking) stats.Number, least float64) (stats.Number, stats.Interval) {
	yes, n := 0, 0
	estimate := s.ofItems(items, func(a asking) stats.Number {
		x, known := of(a).Get()
		if !known {
			return stats.Undefined
		}
		n++
		if x <= least {
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
