package items

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// A Fork is how an item's completion goes on where its thinking is closed at one of several budgets.
type Fork struct {
	Budget         int    `json:"budget"`
	Closed         bool   `json:"closed"`     // by force; else the thinking had ended before
	Completion     string `json:"completion"` // what follows the thinking that it shares with the others; of one that was not closed all of it
	OutputTokens   int    `json:"output_tokens"`
	ThinkingTokens int    `json:"thinking_tokens"`
	Finish         string `json:"finish"`
	ParsedAnswer   string `json:"parsed_answer,omitempty"`
	Correct        bool   `json:"correct"`
	Tag            string `json:"tag,omitempty"`
	Cause          string `json:"cause,omitempty"`
}

// addForks adds what became of the item at each of the run's budgets, where it has several.
func (it *Item) addForks(r *run) {
	if len(r.Header.Budgets) < 2 {
		return
	}
	for _, budget := range r.Header.Budgets {
		at := it.record.At(budget)
		m := r.RuleSets[0].Mark(&r.Header, &at)
		fork := Fork{budget, at.ThinkClosed, at.Text, at.Usage.OutputTokens, at.Usage.ThinkingTokens, string(at.Finish), m.Letter, m.Correct,
			string(m.Tag), string(m.Cause)}
		if i := slices.IndexFunc(it.record.Forks, func(f backends.Fork) bool { return f.Budget == budget }); i >= 0 {
			fork.Completion = it.record.Forks[i].Text
		}
		it.Forks = append(it.Forks, fork)
	}
}

// mostFork is how many characters of what a fork says its line has.
const mostFork = 60

// forkSection sets the forks side by side.
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
			strings.TrimSpace(cmp.Or(f.Tag, "right")+" "+f.Cause), f.said())
	}
	s.Notes = []string{"the completion above is that of the largest budget; " + setting.Format.As("json") + " has the text of each"}
	return s
}

// said is the end of what a fork says, in a line.
func (f *Fork) said() string {
	line := strings.Join(strings.Fields(f.Completion), " ")
	for _, way := range backends.Thinkings {
		if _, after, found := strings.Cut(line, strings.TrimSpace(way.Close)); found {
			line = strings.TrimSpace(after)
		}
	}
	return text.Snip(line, mostFork, "…")
}
