package items

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/report/page"
)

// A Fork continues an item's completion after its thinking was closed at one of several budgets.
type Fork struct {
	Budget         int    `json:"budget"`
	Closed         bool   `json:"closed"`     // the thinking was closed by force; else it had ended before the budget
	Completion     string `json:"completion"` // the text after the shared thinking; the whole text if the thinking was not closed
	OutputTokens   int    `json:"output_tokens"`
	ThinkingTokens int    `json:"thinking_tokens"`
	Finish         string `json:"finish"`
	ParsedAnswer   string `json:"parsed_answer,omitempty"`
	Correct        bool   `json:"correct"`
	Tag            string `json:"tag,omitempty"`
	Cause          string `json:"cause,omitempty"`

	said string // the end of Completion behind the thinking, in one line
}

// addForks adds the item's result at each budget, if its run has several.
func (it *Item) addForks(r *run) {
	if len(r.Header.Budgets) < 2 {
		return
	}
	for _, budget := range r.Header.Budgets {
		at := it.record.At(budget)
		m := r.RuleSets[0].Mark(&r.Header, &at)
		fork := Fork{Budget: budget, Closed: at.ThinkClosed, Completion: at.Text, OutputTokens: at.Usage.OutputTokens,
			ThinkingTokens: at.Usage.ThinkingTokens, Finish: string(at.Finish), ParsedAnswer: m.Letter, Correct: m.Correct,
			Tag: string(m.Tag), Cause: string(m.Cause)}
		if i := slices.IndexFunc(it.record.Forks, func(f backends.Fork) bool { return f.Budget == budget }); i >= 0 {
			fork.Completion = it.record.Forks[i].Text
		}
		answer := strings.TrimPrefix(fork.Completion, grade.Thinking(&r.Header, fork.Completion))
		fork.said = text.Snip(strings.Join(strings.Fields(answer), " "), mostFork, "…")
		it.Forks = append(it.Forks, fork)
	}
}

// mostFork is how many characters of a fork's text its line has.
const mostFork = 60

// forkSection compares the forks.
func (it *Item) forkSection() page.Section {
	s := page.Section{Title: "By budget of thinking"}
	if len(it.Forks) == 0 {
		return s
	}
	s.Table = &page.Grid{Head: []string{"budget", "thinking", "tokens in all", "closed", "answer", "verdict", "what follows the thinking"}}
	for _, f := range it.Forks {
		closed := "by itself"
		if f.Closed {
			closed = "by force"
		}
		s.Table.Add(format.Count(f.Budget), format.Count(f.ThinkingTokens), format.Count(f.OutputTokens), closed, cmp.Or(f.ParsedAnswer, "–"),
			strings.TrimSpace(cmp.Or(f.Tag, "right")+" "+f.Cause), f.said)
	}
	s.Notes = []string{"the completion above is that of the largest budget; " + setting.Format.As("json") + " has the text of each"}
	return s
}

// An Earlier is an item's completion from before it was asked again under a larger cap.
type Earlier struct {
	MaxTokens    int    `json:"max_tokens"` // the cap on this completion
	Completion   string `json:"completion"`
	OutputTokens int    `json:"output_tokens,omitempty"`
	Finish       string `json:"finish"`
	ParsedAnswer string `json:"parsed_answer,omitempty"`
	Correct      bool   `json:"correct"`
	Tag          string `json:"tag,omitempty"`
}

// addEarlier reads the item's earlier completions from the run's journal.
func (it *Item) addEarlier(r *run) error {
	for _, old := range r.Run.Earlier {
		if old.ID != it.ID {
			continue
		}
		record, err := r.record(old)
		if err != nil {
			return err
		}
		m := &old.Marks[0]
		it.Earlier = append(it.Earlier, Earlier{r.Header.Cap(&old.Record), record.Text, old.Usage.OutputTokens, string(old.Finish), m.Letter,
			m.Correct, string(m.Tag)})
	}
	return nil
}

// earlierSection lists the completions that were replaced by the one shown.
func (it *Item) earlierSection() page.Section {
	s := page.Section{Title: "Asked before"}
	if len(it.Earlier) == 0 {
		return s
	}
	s.Table = &page.Grid{Head: []string{"cap", "tokens", "ended by", "answer", "verdict"}}
	for _, e := range it.Earlier {
		s.Table.Add(format.Count(e.MaxTokens), format.Count(e.OutputTokens), e.Finish, cmp.Or(e.ParsedAnswer, "–"), cmp.Or(e.Tag, "right"))
	}
	s.Notes = []string{"the completion above was asked under a cap of " + format.Several(it.MaxTokens, "token") +
		", and replaces these; " + setting.Format.As("json") + " has their texts"}
	return s
}
