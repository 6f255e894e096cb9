package items

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/validity"
	"proctor/runner/report/page"
)

// An Item is an item with the marks of every rule set, and the other items of its question.
type Item struct {
	Row
	OptionTexts []string  `json:"option_texts,omitempty"` // by letter, from A
	Logprobs    []float64 `json:"letter_logprobs,omitempty"`
	Marks       []Verdict `json:"marks"`             // the run's own rule set, or the requested one, first
	Earlier     []Earlier `json:"earlier,omitempty"` // its completions under smaller caps, the oldest first
	Forks       []Fork    `json:"forks,omitempty"`   // one for each budget of thinking, if there are several
	Others      []Other   `json:"others,omitempty"`  // the question's other variants and repeats

	record   *journal.Record
	preamble string
	remedies [2]string // for its tag and its cause
}

// A Verdict is the mark of one rule set.
type Verdict struct {
	RuleSet      string `json:"rule_set"`
	ParsedAnswer string `json:"parsed_answer,omitempty"`
	Correct      bool   `json:"correct"`
	Rule         string `json:"rule,omitempty"`
	Found        string `json:"found,omitempty"` // the part of the completion that the rule matched
	Start        *int   `json:"answer_start,omitempty"`
	End          *int   `json:"answer_end,omitempty"`
	Tag          string `json:"tag,omitempty"`
	Cause        string `json:"cause,omitempty"`
}

// An Other is another item of the same question.
type Other struct {
	ID           string `json:"id"`
	Expected     string `json:"expected"`
	ParsedAnswer string `json:"parsed_answer,omitempty"`
	Correct      bool   `json:"correct"`
	Tag          string `json:"tag,omitempty"`
}

// Find returns the item of a run with an id, which may lack its task or its end if that is unambiguous. A question's id finds its item in
// the original order or of the first option, with the others beside it.
func Find(path, id, ruleSet string) (*Item, error) {
	l, err := open([]string{path}, Options{RuleSet: ruleSet, Text: true}, results.Open)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	r := &l.runs[0]
	found, err := r.find(id)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	it := found[0]
	record, err := r.record(it)
	if err != nil {
		return nil, err
	}
	item := &Item{Row: r.whole(it, &record), OptionTexts: record.OptionTexts, Logprobs: record.LetterLogprobs,
		record: &record, preamble: r.Header.Preambles[record.Subject]}
	itself := r.View(0).Where(func(other *results.Item) bool { return other == it })
	for i, name := range []string{item.Tag, item.Cause} {
		item.remedies[i] = validity.Remedy(r.Run, name, itself, true)
	}
	for i, set := range r.RuleSets {
		m := &it.Marks[i]
		v := Verdict{
			RuleSet: set.Name, ParsedAnswer: m.Letter, Correct: m.Correct, Rule: m.Rule, Tag: string(m.Tag), Cause: string(m.Cause),
		}
		if m.Answered() {
			v.Start, v.End, v.Found = &m.At.Start, &m.At.End, record.Text[m.At.Start:m.At.End]
		}
		item.Marks = append(item.Marks, v)
	}
	if err := item.addEarlier(r); err != nil {
		return nil, err
	}
	item.addForks(r)
	for a := range r.View(0).Answers() {
		if results.SameQuestion(a.Item, it) && a.ID != it.ID {
			item.Others = append(item.Others, Other{a.ID, a.Gold, a.Letter, a.Correct, string(a.Tag)})
		}
	}
	return item, nil
}

// ItemFormats are the formats of an item, the default first.
var ItemFormats = page.FormatsOf((*Item).page)

// Coloured writes the item for a terminal, with the answer in its completion in reverse video.
func (it *Item) Coloured(w io.Writer) error { return it.page().Coloured(w) }

func (it *Item) page() page.Page {
	p := page.Page{Title: fmt.Sprintf("%s · %s · %s", it.ID, it.Subject, it.outcome())}
	p.Add(it.promptSection(), it.optionSection(), it.completionSection(), it.markSection(), it.figureSection(),
		it.forkSection(), it.earlierSection(), it.otherSection())
	return p
}

// promptSection is the prompt, without the preamble of the item's subject.
func (it *Item) promptSection() page.Section {
	if it.record.Prompt == "" {
		s := page.Section{Title: "Question"}
		if it.record.Question != "" {
			s.Text = &page.Text{Text: it.record.Question}
		} else {
			s.Notes = []string{"the journal has no prompt"}
		}
		return s
	}
	s := page.Section{Title: "Prompt", Text: &page.Text{Text: it.record.Prompt}}
	if it.preamble != "" {
		s.Notes = []string{fmt.Sprintf("after %s that all items of %s begin with: report %s %s has them",
			format.Several(len(it.preamble), "byte"), it.Subject, setting.Items, setting.WithText)}
	}
	return s
}

func (it *Item) optionSection() page.Section {
	s := page.Section{Title: "Options"}
	if len(it.OptionTexts) == 0 {
		return s
	}
	s.Table = &page.Grid{Head: []string{"option", ""}}
	direct := len(it.Logprobs) > 0
	if direct {
		s.Table.Head = append(s.Table.Head, "probability")
		s.Notes = []string{"probability: of the letter behind the prompt, over the whole vocabulary"}
	}
	for i, text := range it.OptionTexts {
		letter := string(rune('A' + i))
		var is []string
		if letter == it.Expected {
			is = append(is, "gold")
		}
		if letter == it.ParsedAnswer {
			is = append(is, "answered")
		}
		cells := []string{letter + ". " + strings.Join(strings.Fields(text), " "), strings.Join(is, ", ")}
		if direct {
			cells = append(cells, format.Percent(stats.Of(math.Exp(it.Logprobs[i]))))
		}
		s.Table.Add(cells...)
	}
	return s
}

func (it *Item) completionSection() page.Section {
	s := page.Section{Title: "Completion", Text: &page.Text{Text: it.record.Text}}
	if it.Start != nil {
		s.Text.Start, s.Text.End = *it.Start, *it.End
	}
	switch {
	case it.Error != "":
		s.Warnings = []string{it.Error}
	case it.record.Text == "":
		s.Notes = []string{"empty"}
	}
	return s
}

func (it *Item) markSection() page.Section {
	s := page.Section{Title: "Marks", Table: &page.Grid{Head: []string{"rule set", "answer", "verdict", "rule", "found", "bytes"}}}
	for _, m := range it.Marks {
		at := ""
		if m.Start != nil {
			at = fmt.Sprintf("%d–%d", *m.Start, *m.End)
		}
		s.Table.Add(m.RuleSet, cmp.Or(m.ParsedAnswer, "–"), outcome(m.Correct, m.Tag, m.Cause), m.Rule,
			strings.Join(strings.Fields(m.Found), " "), at)
	}
	s.Notes = []string{"bytes: of the completion, where the rule found the answer; its last character is the letter"}
	return s
}

func (it *Item) figureSection() page.Section {
	s := page.Section{Title: "Item"}
	s.Facts.Add("gold", wholeOption(it.Expected, it.ExpectedText), "")
	s.Facts.Add("answer", wholeOption(cmp.Or(it.ParsedAnswer, "none"), it.ParsedText), "")
	for i, name := range []string{it.Tag, it.Cause} {
		if e := grade.Explain(name); e.Name != "" {
			s.Facts.Add(name, e.Means, it.remedies[i])
		}
	}
	if it.PromptTokens+it.OutputTokens > 0 {
		thinking := ""
		if it.ThinkingTokens > 0 {
			thinking = format.Count(it.ThinkingTokens) + " of them thinking"
		}
		s.Facts.Add("prompt", format.Several(it.PromptTokens, "token"), "")
		completion := format.Several(it.OutputTokens, "token")
		if it.OutputTokens == 0 && len(it.Logprobs) == 0 && it.Completion != nil && *it.Completion != "" {
			completion = "not counted"
		}
		s.Facts.Add("completion", completion, thinking)
	}
	if it.Seconds.Defined() {
		s.Facts.Add("time", format.Seconds(it.Seconds), "its part of the wall time")
	}
	s.Facts.Add("asked", format.Several(it.Attempts, "time"), it.Server)
	s.Facts.Add("ended by", it.Finish, "")
	return s
}

func (it *Item) otherSection() page.Section {
	s := page.Section{Title: "The question's other items"}
	if len(it.Others) == 0 {
		return s
	}
	s.Table = &page.Grid{Head: []string{"id", "gold", "answer", "verdict"}}
	for _, o := range it.Others {
		s.Table.Add(o.ID, o.Expected, cmp.Or(o.ParsedAnswer, "–"), cmp.Or(o.Tag, "right"))
	}
	return s
}
