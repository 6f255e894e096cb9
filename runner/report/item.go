package report

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync"

	"proctor/backends"
	"proctor/runner/grade"
	"proctor/runner/journal"
)

// An item is what a report keeps of a record: everything but the texts.
type item struct {
	id       string
	line     int // place among the records
	question int
	subject  string
	variant  string
	repeat   int // which time the item was asked, from 1
	options  int
	original int  // options of the question behind a binary item
	gold     byte // letter
	finish   backends.Finish
	attempt  int
	usage    backends.Usage
	timing   backends.Timing
	span     span
	fresh    int    // of the prompt's tokens, those that no prompt before begins with; 0 where unknown
	atAnswer bool   // the completion was ended at its answer
	marks    []mark // one a rule set, the headline's first
}

// A mark is a grade.Mark without what a report does not use.
type mark struct {
	letter  byte // 0 for no answer
	tag     grade.Tag
	cause   backends.Cause
	correct bool
}

// gather marks the records under every rule set and keeps one item of each id, sorted by subject, question, repeat and
// variant. The clock is that of all lines.
//
// Where an id has several lines, a completion stands before a failure, then the higher attempt, then the later line: in
// a journal as runs write it that is always the later line, and the result does not depend on the lines' order.
func gather(h *journal.Header, records iter.Seq2[journal.Record, error], rules []grade.RuleSet) ([]item, *clock, error) {
	all, err := markAll(h, records, rules)
	if err != nil {
		return nil, nil, err
	}
	clock := clockOf(all)
	items := all[:0] // each id once
	at := map[string]int{}
	for _, it := range all {
		i, seen := at[it.id]
		switch {
		case !seen:
			at[it.id] = len(items)
			items = append(items, it)
		case it.supersedes(&items[i]):
			items[i] = it
		}
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(
			cmp.Compare(a.subject, b.subject), cmp.Compare(a.question, b.question),
			cmp.Compare(a.repeat, b.repeat), cmp.Compare(a.variant, b.variant), cmp.Compare(a.id, b.id))
	})
	return items, clock, nil
}

// A batch is some of the records, and how many came before them.
type batch struct {
	before  int
	records []journal.Record
}

// batchSize is how many records a marker takes at a time.
const batchSize = 256

// markAll reads the records here and marks them on all cores, since marking takes about as long as reading. The items
// come in any order.
func markAll(h *journal.Header, records iter.Seq2[journal.Record, error], rules []grade.RuleSet) ([]item, error) {
	work := make(chan batch)
	marked := make([][]item, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for worker := range marked {
		group.Go(func() {
			for b := range work {
				for i := range b.records {
					it := markedItem(h, &b.records[i], rules)
					it.line = b.before + i
					marked[worker] = append(marked[worker], it)
				}
			}
		})
	}
	err := inBatches(records, work)
	close(work)
	group.Wait()
	return slices.Concat(marked...), err
}

func inBatches(records iter.Seq2[journal.Record, error], work chan<- batch) error {
	var b batch
	for record, err := range records {
		if err != nil {
			return err
		}
		if b.records = append(b.records, record); len(b.records) == batchSize {
			work <- b
			b = batch{before: b.before + batchSize}
		}
	}
	work <- b
	return nil
}

func markedItem(h *journal.Header, r *journal.Record, rules []grade.RuleSet) item {
	it := item{
		id: r.ID, question: r.QuestionID, subject: r.Subject, variant: r.Variant, repeat: max(1, r.Repeat),
		options: r.Options, original: r.OptionsOriginal, gold: letterOf(r.Gold),
		finish: r.Finish, attempt: r.Attempt, usage: r.Usage, timing: r.Timing,
		span: spanOf(r), fresh: r.NewTokens, atAnswer: r.AtAnswer,
		marks: make([]mark, len(rules)),
	}
	for i, set := range rules {
		m := set.Mark(h, r)
		it.marks[i] = mark{letter: letterOf(m.Letter), tag: m.Tag, cause: m.Cause, correct: m.Correct}
	}
	return it
}

func (it *item) supersedes(old *item) bool {
	failed, oldFailed := it.finish == backends.FinishError, old.finish == backends.FinishError
	if failed != oldFailed {
		return oldFailed
	}
	if it.attempt != old.attempt {
		return it.attempt > old.attempt
	}
	return it.line > old.line
}

func letterOf(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}
