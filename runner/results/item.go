package results

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"proctor/runner/grade"
	"proctor/runner/journal"
)

// An Item is a record without its texts, with its marks. Its Repeat counts from 1.
type Item struct {
	journal.Record
	Marks     []grade.Mark  // one a rule set of the run
	Wall      time.Duration // the item's part of the wall time, which items in flight share equally; 0 where unknown
	FullSlots bool          // it had, on average, nearly as many items beside it as the backend ever had at a time

	line int // place among the records
}

// An Answer is an item and its mark under one rule set. Cause is the mark's.
type Answer struct {
	*Item
	*grade.Mark
}

// gather marks the records under every rule set and keeps one item of each id, sorted by subject, question, repeat and
// variant. The times are those of all lines.
//
// Where an id has several lines, a completion stands before a failure, then the higher attempt, then the later line: in
// a journal as runs write it that is always the later line, and the result does not depend on the lines' order.
func gather(h *journal.Header, records iter.Seq2[journal.Record, error], rules []grade.RuleSet) ([]*Item, *Times, error) {
	all, err := markAll(h, records, rules)
	if err != nil {
		return nil, nil, err
	}
	clock := clockOf(all)
	items := make([]*Item, 0, len(all)) // each id once
	at := map[string]int{}
	for _, it := range all {
		i, seen := at[it.ID]
		switch {
		case !seen:
			at[it.ID] = len(items)
			items = append(items, it)
		case it.supersedes(items[i]):
			items[i] = it
		}
	}
	slices.SortFunc(items, func(a, b *Item) int {
		return cmp.Or(
			cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.QuestionID, b.QuestionID),
			cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.ID, b.ID))
	})
	if clock == nil {
		return items, nil, nil
	}
	for _, it := range items {
		it.Wall, it.FullSlots = clock.share(it)
	}
	return items, &clock.Times, nil
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
func markAll(h *journal.Header, records iter.Seq2[journal.Record, error], rules []grade.RuleSet) ([]*Item, error) {
	work := make(chan batch)
	marked := make([][]*Item, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for worker := range marked {
		group.Go(func() {
			for b := range work {
				for i := range b.records {
					marked[worker] = append(marked[worker], itemOf(h, &b.records[i], b.before+i, rules))
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

func itemOf(h *journal.Header, r *journal.Record, line int, rules []grade.RuleSet) *Item {
	it := &Item{Record: *r, line: line, Marks: make([]grade.Mark, len(rules))}
	for i, set := range rules {
		it.Marks[i] = set.Mark(h, r)
	}
	it.Repeat = max(1, r.Repeat)
	it.Kind, it.Prompt, it.Text, it.Error = "", "", "", ""
	return it
}

func (it *Item) supersedes(old *Item) bool {
	if it.Failed() != old.Failed() {
		return old.Failed()
	}
	if it.Attempt != old.Attempt {
		return it.Attempt > old.Attempt
	}
	return it.line > old.line
}
