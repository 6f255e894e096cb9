// Package again is about items that were asked again under a larger cap on tokens: which they are, and what changed.
//
// An item's last completion counts, and its first one stays in the journal. The choice of items to ask again does not depend on
// whether their answers are right, so that nobody gets a second try for a wrong one. The score is that of a run under the larger cap
// from its beginning if each completion that counts was asked under that cap, or ended by itself before it reached its own: with a
// larger cap it would have ended there as well. The score is mixed if a completion that an earlier cap cut still counts, or if one
// that had ended by itself, without an answer, was asked again and came out otherwise: that is a second try, which other items did not
// get.
package again

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
)

// Names of the items that can be asked again.
var (
	Length   = string(backends.CauseLength) // those that the cap cut, whatever their marks
	NoAnswer = string(grade.NoAnswer)       // those without an answer, by the run's own rule set
)

// Which are the names in a list, LENGTH,NO_ANSWER, each once and in that order.
func Which(text string) ([]string, error) {
	var all []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.ToUpper(strings.TrimSpace(name))
		switch name {
		case Length, NoAnswer:
			all = append(all, name)
		case string(grade.WrongAnswer):
			return nil, fmt.Errorf("%s: asking wrong answers again until they are right measures nothing: give %s or %s", name, Length,
				NoAnswer)
		case string(grade.AdapterError), string(grade.HarnessError):
			return nil, fmt.Errorf("%s: %s alone asks again what failed: give %s or %s", name, setting.Resume, Length, NoAnswer)
		default:
			return nil, fmt.Errorf("%q names no items to ask again: give %s (cut by the cap), %s, or both with a comma", name, Length, NoAnswer)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Named are the items that the run's last raise of the cap asked again, in words.
func Named(h *journal.Header) string {
	words := map[string]string{Length: "cut by the cap", NoAnswer: "without an answer"}
	var all []string
	for _, name := range h.AskedAgain[len(h.AskedAgain)-1].Which {
		all = append(all, words[name])
	}
	return strings.Join(all, " or ")
}

// cut says whether a cap ended a completion that a larger one would let continue, at any of its budgets of thinking.
func cut(it *results.Item) bool {
	forked := slices.ContainsFunc(it.Forks, func(f backends.Fork) bool { return f.Finish == backends.FinishLength })
	return forked || results.Answer{Item: it, Mark: &it.Marks[0]}.Capped()
}

// Due are the items that the run's last raise of the cap should ask again and has not asked yet. Failed items are not among them: they
// are asked again anyway.
func Due(run *results.Run) []*results.Item {
	h := &run.Header
	if len(h.AskedAgain) == 0 {
		return nil
	}
	which := h.AskedAgain[len(h.AskedAgain)-1].Which
	var due []*results.Item
	for a := range run.View(0).Answers() {
		switch {
		case a.Failed() || h.Cap(&a.Record) >= h.Sampling.MaxTokens:
		case slices.Contains(which, Length) && cut(a.Item), slices.Contains(which, NoAnswer) && a.Tag == grade.NoAnswer:
			due = append(due, a.Item)
		}
	}
	return due
}

// Figures compare a run before and after items were asked again.
type Figures struct {
	MaxTokens []int    `json:"max_tokens"`   // the caps, from the first to the present one
	Which     []string `json:"which"`        // of the items, when the cap was raised last
	Items     int      `json:"items"`        // with a completion under an earlier cap and one under a later
	Before    Counts   `json:"before"`       // of those items' first completions
	After     Counts   `json:"after"`        // the completions that count
	Due       int      `json:"due"`          // items still to be asked again
	Cut       int      `json:"still_cut"`    // completions that count and were cut by an earlier cap, those due among them
	Tries     int      `json:"second_tries"` // completions that had ended by themselves and came out otherwise
	Mixed     bool     `json:"mixed"`        // the score is not that of one cap
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
	h, v := &run.Header, run.View(0)
	if len(h.AskedAgain) == 0 {
		return nil
	}
	f := &Figures{Which: h.AskedAgain[len(h.AskedAgain)-1].Which}
	if run.RuleSets[0].Name == h.RuleSet { // others find other answers, and decide about no item
		f.Due = len(Due(run))
	}
	for _, a := range h.AskedAgain {
		f.MaxTokens = append(f.MaxTokens, a.MaxTokens)
	}
	f.MaxTokens = append(f.MaxTokens, h.Sampling.MaxTokens)
	first := map[string]*results.Item{}
	for _, it := range run.Earlier {
		if first[it.ID] == nil {
			first[it.ID] = it
		}
	}
	for a := range v.Answers() {
		if a.Failed() {
			continue
		}
		if cut(a.Item) && h.Cap(&a.Record) < h.Sampling.MaxTokens {
			f.Cut++
		}
		if before := first[a.ID]; before != nil && h.Cap(&before.Record) < h.Cap(&a.Record) {
			f.Items++
			f.Before.add(v.Of(before))
			f.After.add(a)
			if !cut(before) && before.TextSum != a.TextSum {
				f.Tries++
			}
		}
	}
	f.Mixed = f.Cut+f.Tries > 0
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
	if f == nil {
		return ""
	}
	largest := f.MaxTokens[len(f.MaxTokens)-1]
	var why []string
	if f.Cut > 0 {
		why = append(why, fmt.Sprintf("%s still cut at an earlier cap than %s: %s %s %s asks them again", format.Several(f.Cut, "completion"),
			format.Count(largest), setting.Resume.As("RUN"), setting.Again.As(Length), setting.MaxTokens.As(strconv.Itoa(largest))))
	}
	if f.Tries > 0 {
		why = append(why, fmt.Sprintf("%s had ended without an answer and came out otherwise when asked again, a second try that no "+
			"other had", format.Several(f.Tries, "completion")))
	}
	if len(why) == 0 {
		return ""
	}
	return "mixed caps: the score is of no single run: " + strings.Join(why, "; ")
}
