package budget

import (
	"fmt"
	"math"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/stats"
)

// A Length is the expected mean number of tokens of completions, all answers counted: Tokens, with the range Low to High, and the
// source of the estimate. The zero value means that nothing is known.
type Length struct {
	Tokens    int
	Low, High int
	Source    string // for people, behind the number
}

// Expected is the length of completions of which no other run tells, with at most a number of tokens behind their
// thinking. They use up their thinking budget, and then write an answer, once or at each budget; without one a model
// that thinks does so until the cap ends it. Most other chains of thought have half to three times as many tokens as is
// assumed.
func Expected(budgets []int, most int, thinks bool) Length {
	answer := min(backends.AssumedOutput, most)
	switch n := len(budgets); {
	case n > 0:
		all := budgets[n-1] + n*answer
		return Length{all, all / 4, all, "thinking up to the budget of " + format.Count(budgets[n-1])}
	case thinks:
		return Length{most, most / 4, most, "up to the cap, since the model thinks: " + setting.ThinkBudget.String() +
			" closes that earlier"}
	}
	return Length{answer, (answer + 1) / 2, min(3*answer, most), "assumed"}
}

// Earlier describes the lengths of another run's completions. It is zero where that run can't be read, or has none.
type Earlier struct {
	Length
	Done    map[string]bool   // ids of the items that have a completion
	Started map[string]int    // how many tokens those have that are unfinished
	Rest    map[string]Length // and how many they still lack
}

// EarlierOf predicts the length of completions from another run's: its thinking, cut at the budgets, and an answer at each budget that
// it reaches. Without budgets they are as long as in that run. most caps all tokens; 0: that run's own cap.
func EarlierOf(run string, budgets []int, most int) Earlier {
	reader, err := journal.Open(run)
	if err != nil {
		return Earlier{} // whoever opens the run reports the error
	}
	defer reader.Close()
	if h := &reader.Header; most == 0 && h.Sampling.MaxTokens == 0 {
		most = math.MaxInt32 // an imported log has no cap
	} else if most == 0 {
		most = h.Sampling.MaxTokens * max(1, len(h.Budgets))
		if n := len(h.Budgets); n > 0 {
			most += h.Budgets[n-1]
		}
	}
	e := Earlier{Done: map[string]bool{}, Started: map[string]int{}, Rest: map[string]Length{}}
	var all []observed
	for r, err := range reader.Records() {
		if err != nil {
			break
		}
		e.Done[r.ID] = !r.Again()
		if r.Error != "" || r.Usage.OutputTokens == 0 {
			continue
		}
		cut := grade.Cut(&r) && reader.Header.Sampling.MaxTokens > 0
		all = append(all, observed{min(most, lengthOf(&r, budgets)), !cut || r.Usage.OutputTokens >= most})
	}
	for _, p := range reader.Partials() {
		if n := p.Drawn(); n > 0 && !e.Done[p.ID] {
			e.Started[p.ID] = min(most, n)
		}
	}
	for _, n := range e.Started {
		all = append(all, observed{n, false})
	}
	if len(all) == 0 {
		return Earlier{Done: e.Done}
	}
	e.Length = beyond(0, all, most)
	for id, n := range e.Started {
		e.Rest[id] = beyond(n, all, most)
	}
	e.Source = "as in " + run
	if own := reader.Header.Budgets; len(own) > 0 {
		e.Source += fmt.Sprintf(", whose thinking was closed at %s", format.Count(own[len(own)-1]))
	}
	return e
}

// An observed length of a completion; for one that has not ended, a lower bound.
type observed struct {
	tokens int
	ended  bool
}

// beyond estimates how many more tokens a completion gets that has the given number, from others that are longer. Low
// assumes that those which have not ended get no longer, High that they get to the cap; both allow for the error of a
// mean.
func beyond(tokens int, all []observed, most int) Length {
	const quantile, few = 1.645, 5 // 90 % are within; the spread of fewer ended ones is not used
	var least, highest []float64
	ended := 0
	for _, o := range all {
		if o.tokens <= tokens && tokens > 0 {
			continue
		}
		least, highest = append(least, float64(o.tokens-tokens)), append(highest, float64(most-tokens))
		if o.ended {
			highest[len(highest)-1] = float64(o.tokens - tokens)
			ended++
		}
	}
	round := func(x float64) int { return int(max(1, min(float64(most-tokens), math.Round(x)))) }
	if len(least) == 0 { // no completion got this far
		return Length{Tokens: round(float64(most-tokens) / 2), Low: 1, High: round(math.Inf(1))}
	}
	shortest, spread := stats.Spread(least)
	longest, more := stats.Spread(highest)
	root := math.Sqrt(float64(len(least)))
	low, high := shortest.Or(0)-quantile*spread.Or(0)/root, longest.Or(0)+quantile*more.Or(0)/root
	if ended < few {
		low, high = min(low, shortest.Or(0)/2), max(high, 2*longest.Or(0))
	}
	return Length{Tokens: round((shortest.Or(0) + longest.Or(0)) / 2), Low: round(low), High: round(high)}
}

// lengthOf is the length that an earlier completion would have had under budgets.
func lengthOf(r *journal.Record, budgets []int) int {
	thinking, all := r.Usage.ThinkingTokens, r.Usage.OutputTokens
	if len(budgets) == 0 {
		return all
	}
	answer, most := max(0, all-thinking), budgets[len(budgets)-1]
	length := min(thinking, most) + answer
	for _, n := range budgets[:len(budgets)-1] {
		if thinking > n {
			length += answer
		}
	}
	return length
}

// Thinks says whether a model's template makes it think in a dialogue.
func (d *Dialogue) Thinks() bool {
	return !d.Off && d.Prompt != "" && d.Marks != nil && !ends(d.Prompt, d.Marks.Close)
}
