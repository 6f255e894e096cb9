// Package again is about items that were asked again under a larger cap on tokens: which they are, and what changed.
//
// An item's last completion counts, and its first one stays in the journal. Those are asked again that the cap cut,
// whether right or not, so that nobody gets a second try for a wrong answer. The score is that of a run under the
// larger cap from its beginning if each completion that counts was asked under that cap, or ended by itself before it
// reached its own: with a larger cap it would have ended there as well. The score is mixed while a completion that an
// earlier cap cut still counts.
package again

import (
	"fmt"
	"slices"
	"strconv"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

// Length names the items that are asked again: those that the cap cut.
const Length = string(backends.CauseLength)

// cut says whether a cap ended a completion that a larger one would let continue, at any of its budgets of thinking.
func cut(it *results.Item) bool {
	return it.Marks[0].Cut || slices.ContainsFunc(it.Forked, func(fork grade.Mark) bool { return fork.Cut })
}

// Due are the items that the run's present cap should ask again and has not asked yet. Failed items are not among them:
// they are asked again anyway.
func Due(run *results.Run) []*results.Item {
	var due []*results.Item
	for _, it := range run.Items {
		if !it.Failed() && run.Header.Cap(&it.Record) < run.Header.Sampling.MaxTokens && cut(it) {
			due = append(due, it)
		}
	}
	return due
}

// Figures compare a run before and after items were asked again.
type Figures struct {
	MaxTokens []int  `json:"max_tokens"` // the caps, from the first to the present one
	Items     int    `json:"items"`      // with a completion under an earlier cap and one under a later
	Before    Counts `json:"before"`     // of those items' first completions
	After     Counts `json:"after"`      // the completions that count
	// items still to be asked again: completions that count and that an earlier cap cut
	Due   int  `json:"due"`
	Mixed bool `json:"mixed"` // the score is not that of one cap
}

// Counts count completions.
type Counts struct {
	Answered int `json:"answered"`
	Correct  int `json:"correct"`
	Cut      int `json:"cut"` // by the cap
}

func (c *Counts) add(a results.Answer) {
	if a.Answered() {
		c.Answered++
	}
	if a.Correct {
		c.Correct++
	}
	if cut(a.Item) {
		c.Cut++
	}
}

// Of compares them; nil for a run whose cap was not raised.
func Of(run *results.Run) *Figures {
	h, v, caps := &run.Header, run.View(0), run.Header.History.Caps()
	if len(caps) < 2 {
		return nil
	}
	due := len(Due(run))
	f := &Figures{MaxTokens: caps, Due: due, Mixed: due > 0}
	first := map[string]*results.Item{}
	for _, it := range run.Earlier {
		if first[it.ID] == nil {
			first[it.ID] = it
		}
	}
	for a := range v.Answers() {
		if before := first[a.ID]; before != nil && !a.Failed() && h.Cap(&before.Record) < h.Cap(&a.Record) {
			f.Items++
			f.Before.add(v.Of(before))
			f.After.add(a)
		}
	}
	return f
}

// Headline names the caps of the score's answers.
func (f *Figures) Headline() string {
	if f.Mixed {
		return "mixed caps"
	}
	return "completions all under the cap of " + format.Several(f.MaxTokens[len(f.MaxTokens)-1], "token")
}

// Warning says why the score is mixed; empty where it is not, or the cap was not raised.
func (f *Figures) Warning() string {
	if f == nil || !f.Mixed {
		return ""
	}
	largest := f.MaxTokens[len(f.MaxTokens)-1]
	return fmt.Sprintf("mixed caps: the score is of no single run: %s still cut at an earlier cap than %s: %s %s %s "+
		"asks them again",
		format.Several(f.Due, "completion"), format.Count(largest), setting.Resume.As("RUN"), setting.Again.As(Length),
		setting.MaxTokens.As(strconv.Itoa(largest)))
}
