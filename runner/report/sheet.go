package report

import (
	"iter"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
)

// A Sheet is a run whose items are marked: what reports and comparisons are made from.
type Sheet struct {
	Header   journal.Header
	Warnings []string       // what reading the journal tolerated
	Looks    []journal.Look // of a run that was to stop by itself, by number

	view  view
	exam  exam
	clock *clock // nil where the journal does not say when items were asked
}

// Open reads and marks a run, given as its folder or its journal.
func Open(run string, o Options) (*Sheet, error) {
	reader, err := journal.Open(run)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	sheet, err := Read(&reader.Header, reader.Records(), o)
	if err != nil {
		return nil, err
	}
	sheet.Looks, sheet.Warnings = reader.Looks(), reader.Warnings()
	return sheet, nil
}

// Read marks the records of a header, which may come in any order and stop at an error. Errors are those of the
// records, and of Options that don't go with the run.
func Read(h *journal.Header, records iter.Seq2[journal.Record, error], o Options) (*Sheet, error) {
	s, err := o.settle(h)
	if err != nil {
		return nil, err
	}
	task, err := examOf(h)
	if err != nil {
		return nil, err
	}
	items, clock, err := gather(h, records, s.rules)
	if err != nil {
		return nil, err
	}
	return &Sheet{Header: *h, view: view{items, 0, s}, exam: task, clock: clock}, nil
}

// RuleSets are the names of the rule sets that marked the sheet, the headline's first.
func (s *Sheet) RuleSets() []string {
	names := make([]string, len(s.view.rules))
	for i, set := range s.view.rules {
		names[i] = set.Name
	}
	return names
}

// A Verdict is one item's outcome under one rule set.
type Verdict struct {
	ID       string
	Question int
	Subject  string
	Variant  string
	Repeat   int // which time the item was asked, from 1
	Options  int
	Gold     byte // letter
	Letter   byte // 0 for no answer
	Correct  bool
	Error    bool // left out of the score
	Usage    backends.Usage
	Timing   backends.Timing
	Wall     time.Duration // the item's part of the wall time, which items in flight share equally; 0 where unknown
}

// Verdicts yields the items under one of RuleSets, by its place there, sorted by subject, question, repeat and variant.
func (s *Sheet) Verdicts(rule int) iter.Seq[Verdict] {
	return func(yield func(Verdict) bool) {
		for i := range s.view.items {
			it := &s.view.items[i]
			m := it.marks[rule]
			v := Verdict{
				ID: it.id, Question: it.question, Subject: it.subject, Variant: it.variant, Repeat: it.repeat,
				Options: it.options, Gold: it.gold,
				Letter: m.letter, Correct: m.correct, Error: m.tag.IsError(), Usage: it.usage, Timing: it.timing, Wall: s.clock.part(it.span),
			}
			if !yield(v) {
				return
			}
		}
	}
}
