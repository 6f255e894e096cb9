package compare

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/results"
	"proctor/runner/report/page"
)

// Flips are the items that the first run gets right and another wrong, or the other way round.
type Flips struct {
	Task     string
	Pairs    []PairFlips // each run but the first against the first
	Warnings []string

	set journal.Dataset // of both runs
}

// PairFlips are the flips of one run against the first.
type PairFlips struct {
	A            string
	B            string
	Items        int // number of items that both runs have a score for
	RightToWrong int
	WrongToRight int
	Flips        []Flip // right to wrong first, each sorted by subject, question, repeat and variant
}

// The kinds of flip.
const (
	rightToWrong = "right_to_wrong"
	wrongToRight = "wrong_to_right"
	wrongToWrong = "wrong_to_wrong" // not counted as a flip: another letter, as wrong as the first one's
)

// A Flip is one item, as A and B answered it.
type Flip struct {
	RunA         string `json:"run_a,omitempty"`
	RunB         string `json:"run_b,omitempty"`
	ID           string `json:"id"`
	Subject      string `json:"subject"`
	Change       string `json:"change"`   // right_to_wrong or wrong_to_right
	Expected     string `json:"expected"` // the gold letter
	ExpectedText string `json:"expected_text,omitempty"`
	A            Choice `json:"a"`
	B            Choice `json:"b"`
}

// A Choice is what one run answered.
type Choice struct {
	ParsedAnswer string  `json:"parsed_answer,omitempty"` // the letter; absent if there is no answer
	ParsedText   string  `json:"parsed_text,omitempty"`
	Tag          string  `json:"tag,omitempty"`
	Cause        string  `json:"cause,omitempty"`
	Start        int     `json:"answer_start,omitempty"` // the answer was found in completion[start:end], in bytes
	End          int     `json:"answer_end,omitempty"`
	Completion   *string `json:"completion,omitempty"` // the text, if texts were requested
}

// FlipsOf finds the flips of runs, given as their folders or journals, against the first. It refuses what [Of] refuses. Of the options it
// uses the rule set and force. With text the flips have the completions.
func FlipsOf(runs []string, o pairs.Options, text bool) (*Flips, error) {
	sides, o, err := pairs.Open(runs, o)
	if err != nil {
		return nil, err
	}
	f := &Flips{Task: sides[0].Marked.Header.Task, set: sides[0].Marked.Header.Dataset}
	for i := range sides[1:] {
		a, b := &sides[0], &sides[1+i]
		warnings, err := pairs.Check(a, b, o.Force)
		if err != nil {
			return nil, err
		}
		answers, left := pairs.Answers(a, b)
		pair, err := flipsOf(a, b, answers, text)
		if err != nil {
			return nil, err
		}
		for _, warning := range slices.Concat(warnings, left) {
			f.Warnings = append(f.Warnings, pair.A+" → "+pair.B+": "+warning)
		}
		f.Pairs = append(f.Pairs, *pair)
	}
	f.Warnings = append(f.Warnings, pairs.Cautions(sides)...)
	return f, nil
}

func flipsOf(a, b *pairs.Run, answers [][2]results.Answer, text bool) (*PairFlips, error) {
	readA, err := journal.Open(a.Path)
	if err != nil {
		return nil, err
	}
	defer readA.Close()
	readB, err := journal.Open(b.Path)
	if err != nil {
		return nil, err
	}
	defer readB.Close()
	p := &PairFlips{A: a.Name, B: b.Name, Items: len(answers)}
	for _, both := range answers {
		x, y := both[0], both[1]
		if x.Correct == y.Correct {
			continue
		}
		flip := flipOf(x, y)
		flip.RunA, flip.RunB = a.Name, b.Name
		if flip.Change == rightToWrong {
			p.RightToWrong++
		} else {
			p.WrongToRight++
		}
		if err := errors.Join(flip.read(&flip.A, x, readA, text), flip.read(&flip.B, y, readB, text)); err != nil {
			return nil, err
		}
		p.Flips = append(p.Flips, flip)
	}
	slices.SortStableFunc(p.Flips, func(x, y Flip) int { return cmp.Compare(x.Change, y.Change) }) // right_to_wrong sorts before wrong_to_right
	return p, nil
}

// flipOf makes a flip of an item with two answers, without its texts.
func flipOf(x, y results.Answer) Flip {
	f := Flip{ID: x.ID, Subject: x.Subject, Change: wrongToWrong, Expected: x.Gold, A: choiceOf(x), B: choiceOf(y)}
	switch {
	case x.Correct:
		f.Change = rightToWrong
	case y.Correct:
		f.Change = wrongToRight
	}
	return f
}

func choiceOf(a results.Answer) Choice {
	return Choice{ParsedAnswer: a.Letter, Tag: string(a.Tag), Cause: string(a.Mark.Cause), Start: a.At.Start, End: a.At.End}
}

// read reads an answer's line again: for the option texts of its choice and of the gold letter, and with text for its completion.
func (f *Flip) read(c *Choice, a results.Answer, from *journal.Reader, text bool) error {
	record, err := from.At(a.Place)
	if err != nil {
		return err
	}
	f.ExpectedText, c.ParsedText = cmp.Or(f.ExpectedText, record.OptionText(a.Gold)), record.OptionText(a.Letter)
	if text {
		c.Completion = &record.Text
	}
	return nil
}

// FlipFormats are the ways of writing flips, the default first.
var FlipFormats = page.Formats[*Flips]{
	{Name: "text", Ext: ".txt", Write: func(w io.Writer, f *Flips) error { return f.page().Text(w) }},
	{Name: "jsonl", Ext: ".jsonl", Write: func(w io.Writer, f *Flips) error { return page.JSONLines(w, f.each) }},
}

func (f *Flips) page() page.Page {
	own, _ := task.Lookup(f.Task)
	p := page.Page{Title: "Flips · " + own.Title(f.set.Title()), Notices: f.Warnings}
	for i := range f.Pairs {
		pair := &f.Pairs[i]
		counted := fmt.Sprintf("right → wrong %s, wrong → right %s, of %s scored in both runs",
			format.Count(pair.RightToWrong), format.Count(pair.WrongToRight), format.Several(pair.Items, "item"))
		s := page.Section{Title: pair.A + " → " + pair.B, Notes: []string{counted}}
		if len(pair.Flips) > 0 {
			s.Table = &page.Grid{Head: []string{"id", "subject", "gold", pair.A, pair.B, "change"}}
		}
		for _, flip := range pair.Flips {
			s.Table.Add(flip.ID, flip.Subject, flip.Expected, flip.A.letter(), flip.B.letter(), flip.change())
		}
		p.Add(s)
		for _, flip := range pair.Flips {
			p.Add(flip.section(pair.A, flip.A), flip.section(pair.B, flip.B))
		}
	}
	return p
}

// letter is the answer for people, a dash if there is none.
func (c *Choice) letter() string { return cmp.Or(c.ParsedAnswer, "–") }

// change names a flip for people: right → wrong.
func (f *Flip) change() string {
	return strings.ReplaceAll(strings.ReplaceAll(f.Change, "_to_", " → "), "_", " ")
}

// section shows the completion of one run, if there is one.
func (f *Flip) section(run string, c Choice) page.Section {
	if c.Completion == nil {
		return page.Section{}
	}
	verdict := "right"
	if c.Tag != "" {
		verdict = strings.TrimSpace(c.Tag + " " + c.Cause)
	}
	return page.Section{
		Title: fmt.Sprintf("%s · gold %s · %s: %s, %s", f.ID, f.Expected, run, cmp.Or(c.ParsedAnswer, "no answer"), verdict),
		Text:  &page.Text{Text: *c.Completion, Start: c.Start, End: c.End},
	}
}

// each yields the flips of all pairs, never an error.
func (f *Flips) each(yield func(Flip, error) bool) {
	for _, pair := range f.Pairs {
		for _, flip := range pair.Flips {
			if !yield(flip, nil) {
				return
			}
		}
	}
}
