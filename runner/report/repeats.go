package report

import (
	"fmt"
	"math"

	"proctor/runner/page"
	"proctor/runner/stats"
	"proctor/runner/words"
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
	PassAtK  []PassAtK      `json:"pass_at_k,omitempty"`
	Vote     stats.Number   `json:"majority_vote,omitzero"` // the gold letter given more often than any other
	VoteCI   stats.Interval `json:"majority_vote_ci,omitzero"`
	Noise    stats.Number   `json:"noise_floor,omitzero"` // items whose letter is not the same in all repeats
	NoiseCI  stats.Interval `json:"noise_floor_ci,omitzero"`
	Changed  stats.Number   `json:"answer_changed,omitzero"` // expected between two more runs: another letter, or one with none
	Flips    stats.Number   `json:"flips,omitzero"`          // expected between two more runs: right in one only
}

// OneRepeat is the accuracy of all items as they were asked one time.
type OneRepeat struct {
	Repeat   int          `json:"repeat"` // from 1
	Items    int          `json:"items"`  // scored
	Correct  int          `json:"correct"`
	Accuracy stats.Number `json:"accuracy,omitzero"`
}

// PassAtK is the chance that at least one of k answers is right.
type PassAtK struct {
	K     int            `json:"k"`
	Value stats.Number   `json:"value,omitzero"`
	CI    stats.Interval `json:"ci,omitzero"`
	Items int            `json:"items"` // with k scored repeats at least
}

// repeats sets what the repeats tell, where there are any.
func (r *Report) repeats(v view) {
	if !v.repeated() {
		return
	}
	items := v.askings()
	mean := stats.Mean(questionMeans(v), v.confidence)
	result := &Repeats{Repeats: v.repeats, Mean: mean.Value, SE: mean.SE, CI: mean.Interval}
	clusters := make([]stats.Cluster, len(items))
	unlike := make([]stats.Number, len(items))
	for i, a := range items {
		clusters[i] = stats.Cluster{Successes: a.right, Items: a.scored}
		unlike[i] = stats.Unlike(a.counts())
		if a.scored > 0 {
			result.Items++
		}
	}
	split := stats.Repeats(clusters, v.confidence)
	result.Within, result.Between = split.Within, split.Between
	if within, defined := split.Within.Get(); defined {
		result.RunSD = stats.Of(math.Sqrt(within / float64(result.Items)))
		result.Flips = stats.Of(2 * within)
	}
	result.Changed = v.ofItems(items, func(i int) stats.Number { return unlike[i] }).Value
	result.Noise, result.NoiseCI = v.share(items, func(i int) stats.Number {
		x, defined := unlike[i].Get()
		return indicator(x > 0, defined)
	})
	result.Vote, result.VoteCI = v.share(items, func(i int) stats.Number {
		return indicator(items[i].wins(), items[i].scored > 0)
	})
	for k := 1; k <= v.repeats; k++ {
		result.ByRepeat = append(result.ByRepeat, v.oneRepeat(k))
		result.PassAtK = append(result.PassAtK, v.passAtK(items, k))
	}
	r.Repeats = result
	if left := result.Items*v.repeats - r.Items + r.Errors; left > 0 {
		r.warn(aboutRepeats, words.Several(left, "repeat")+" without an answer, left out")
	}
}

func (v view) oneRepeat(k int) OneRepeat {
	t := v.where(func(it *item) bool { return it.repeat == k }).tally()
	return OneRepeat{k, t.scored(), t.correct, stats.Ratio(t.correct, t.scored())}
}

func (v view) passAtK(items []asking, k int) PassAtK {
	p := PassAtK{K: k}
	estimate := v.ofItems(items, func(i int) stats.Number {
		x := stats.PassAtK(items[i].scored, items[i].right, k)
		if x.Defined() {
			p.Items++
		}
		return x
	})
	p.Value, p.CI = estimate.Value, estimate.Interval
	return p
}

// An asking is one prompt with the letters of its scored repeats.
type asking struct {
	question      int // number of its question in the view, from 0
	gold          byte
	scored, right int
	letters       map[byte]int // how often each came; 0 for no answer
}

func (a asking) counts() []int {
	counts := make([]int, 0, len(a.letters))
	for _, n := range a.letters {
		counts = append(counts, n)
	}
	return counts
}

// wins says whether the gold letter came more often than any other; no answer is no vote.
func (a asking) wins() bool {
	rival := 0
	for letter, n := range a.letters {
		if letter != a.gold && letter != 0 {
			rival = max(rival, n)
		}
	}
	return a.letters[a.gold] > rival
}

// askings groups the items by prompt, question by question.
func (v view) askings() []asking {
	var all []asking
	questions := 0
	for question := range v.questions() {
		at := map[string]int{} // by variant
		for i := range question.items {
			it := &question.items[i]
			n, seen := at[it.variant]
			if !seen {
				n = len(all)
				at[it.variant] = n
				all = append(all, asking{question: questions, gold: it.gold, letters: map[byte]int{}})
			}
			m := v.mark(it)
			if m.tag.IsError() {
				continue
			}
			a := &all[n]
			a.scored++
			a.letters[m.letter]++
			if m.correct {
				a.right++
			}
		}
		questions++
	}
	return all
}

// ofItems is the mean over questions of the mean over their items of what of says, where that is defined.
func (v view) ofItems(items []asking, of func(i int) stats.Number) stats.Estimate {
	var means []float64
	for start := 0; start < len(items); {
		end, sum, n := start, 0.0, 0
		for ; end < len(items) && items[end].question == items[start].question; end++ {
			if x, defined := of(end).Get(); defined {
				sum, n = sum+x, n+1
			}
		}
		if n > 0 {
			means = append(means, sum/float64(n))
		}
		start = end
	}
	return stats.Mean(means, v.confidence)
}

// share is [view.ofItems] for what is 0 or 1. Where every question has one item these are independent, and the interval
// is that of a proportion.
func (v view) share(items []asking, of func(i int) stats.Number) (stats.Number, stats.Interval) {
	yes, n := 0, 0
	for i := range items {
		if x, defined := of(i).Get(); defined {
			n++
			if x > 0 {
				yes++
			}
		}
	}
	if len(items) == 0 || items[len(items)-1].question == len(items)-1 {
		return stats.Ratio(yes, n), v.interval(yes, n, v.confidence)
	}
	estimate := v.ofItems(items, of)
	return estimate.Value, estimate.Interval
}

// indicator is 1 or 0, or undefined.
func indicator(holds, defined bool) stats.Number {
	switch {
	case !defined:
		return stats.Undefined
	case holds:
		return stats.Of(1)
	}
	return stats.Of(0)
}

// repeatSections are what repeats tell, for people.
func (r *Report) repeatSections() []page.Section {
	if r.Repeats == nil {
		return nil
	}
	p := r.Repeats
	s := page.Section{Title: "Repeats", Warnings: r.about(aboutRepeats)}
	s.Facts.Add("mean", words.Percent(p.Mean), fmt.Sprintf("over a question's repeats first, then over questions, %s", r.interval(p.CI)))
	s.Facts.Add("variance within", words.Plain(p.Within), "of an answer's verdict, asking the same item again")
	s.Facts.Add("variance between", words.Plain(p.Between), "of the items' chances of being answered right")
	s.Facts.Add("run to run", "± "+words.Points(p.RunSD, 2), "standard deviation of the accuracy, asking the same items once more")
	s.Facts.Add("noise floor", words.Percent(p.Noise), fmt.Sprintf("of items answered with another letter in some repeat, %s", r.interval(p.NoiseCI)))
	s.Facts.Add("", "", fmt.Sprintf("between two runs expect %s of answers changed and %s flips", words.Percent(p.Changed), words.Percent(p.Flips)))
	s.Facts.Add("majority vote", words.Percent(p.Vote), fmt.Sprintf("the gold letter more often than any other, %s", r.interval(p.VoteCI)))
	g := &page.Grid{Head: []string{"k", "accuracy of repeat k", "pass@k", r.confidence(), "items"}}
	for i, one := range p.ByRepeat {
		pass := p.PassAtK[i]
		g.Add(words.Count(one.Repeat), words.Percent(one.Accuracy), words.Percent(pass.Value), words.Bounds(pass.CI), words.Count(pass.Items))
	}
	table := page.Section{Title: "Repeat by repeat", Table: g,
		Notes: []string{"pass@k: the chance that one of k answers at least is right; over the items with k scored repeats at least"}}
	if r.Run.Sampling.Temperature == 0 {
		s.Notes = append(s.Notes, "greedy: the repeats differ by the engine's rounding alone, so this is the noise floor of any comparison with this set-up")
	}
	return []page.Section{s, table}
}
