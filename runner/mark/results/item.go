package results

import (
	"cmp"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

// An Item is a record without its texts, with its marks. Its Repeat counts from 1.
type Item struct {
	journal.Record
	Marks      []grade.Mark  // one a rule set of the run
	Signs      grade.Signs   // that the completion shows
	Thinks     bool          // see [grade.Thinks]
	Forked     []grade.Mark  // one a fork, under the first of them
	Wall       time.Duration // the item's part of the wall time, which items in flight share equally; 0 where unknown
	Place      journal.Place // of its line, to read its texts again; only of a run that Open or OpenUnder opened
	OptionKind Kind          // of the option in a true-or-false item; empty for others
	Kept       Kept
}

// Kept are an item's short texts; only for a run opened by OpenUnder, whose items have one mark.
type Kept struct {
	Gold, Answer string // texts of the gold option and of the answer's
	Error        string
}

// An Answer is an item and its mark under one rule set. Cause is the mark's.
type Answer struct {
	*Item
	*grade.Mark
}

// gather marks the records under every rule set and keeps one item for each id, sorted by subject, question, repeat and variant. The
// times are those of all lines.
//
// Where an id has several lines, a completion is preferred to a failure, then the higher attempt, then the later line: in a journal as
// runs write it that is always the later line, and the result does not depend on the lines' order.
func (r *Run) gather(in lines) error {
	all, err := markAll(&r.Header, in, r.RuleSets)
	if err != nil {
		return err
	}
	latest, asksAgain := map[string]*Item{}, len(r.Header.History.Caps()) > 1
	for _, it := range all {
		old, seen := latest[it.ID]
		if !seen || it.supersedes(old) {
			latest[it.ID] = it
		} else {
			old = it
		}
		if old != nil && !old.Failed() && asksAgain {
			r.Earlier = append(r.Earlier, old)
		}
	}
	r.Items = slices.SortedFunc(maps.Values(latest), inOrder)
	slices.SortFunc(r.Earlier, func(a, b *Item) int { return cmp.Or(inOrder(a, b), cmp.Compare(a.Attempt, b.Attempt)) })
	if r.Times = timesOf(all, in.unfinished(all)); r.Times != nil {
		for _, it := range r.Items {
			it.Wall = r.Times.share(it)
		}
	}
	return nil
}

// inOrder sorts by subject, question, repeat and variant.
func inOrder(a, b *Item) int {
	return cmp.Or(
		cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.QuestionID, b.QuestionID),
		cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.ID, b.ID))
}

// lines are a journal's records and the place of the last one; place may be nil.
type lines struct {
	records  iter.Seq2[journal.Record, error]
	place    func(id string) journal.Place
	partials func() []journal.Partial // that came with the records; may be nil
	keep     bool                     // items have their Kept
}

// unfinished are the partials of answers that were then interrupted; the time of finished answers is in their records.
func (in lines) unfinished(all []*Item) []journal.Partial {
	if in.partials == nil {
		return nil
	}
	type attempt struct {
		id    string
		began int64
	}
	ended := map[attempt]bool{}
	for _, it := range all {
		ended[attempt{it.ID, it.Began.UnixNano()}] = true
	}
	return slices.DeleteFunc(slices.Clone(in.partials()), func(p journal.Partial) bool { return ended[attempt{p.ID, p.Began.UnixNano()}] })
}

// markAll reads the records here and marks them on all cores, since marking takes about as long as reading. The items
// are in the records' order.
func markAll(h *journal.Header, in lines, rules []grade.RuleSet) ([]*Item, error) {
	work := make(chan *Item, 256)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for it := range work {
				it.mark(h, rules, in.keep)
			}
		})
	}
	defer group.Wait()
	defer close(work)
	var items []*Item
	for record, err := range in.records {
		if err != nil {
			return nil, err
		}
		it := &Item{Record: record}
		if in.place != nil {
			it.Place = in.place(record.ID)
		}
		items = append(items, it)
		work <- it
	}
	return items, nil
}

// mark sets the marks and drops the texts, or all but the short ones.
func (it *Item) mark(h *journal.Header, rules []grade.RuleSet, keep bool) {
	it.Marks = make([]grade.Mark, len(rules))
	for i, set := range rules {
		it.Marks[i] = set.Mark(h, &it.Record)
	}
	it.Signs = grade.SignsOf(h, &it.Record)
	it.Thinks = grade.Thinks(h, &it.Record)
	it.markForks(h, rules[0])
	if keep {
		it.Kept = Kept{it.OptionText(it.Gold), it.OptionText(it.Marks[0].Letter), it.Error}
	}
	it.OptionKind = optionKind(&it.Record)
	it.Repeat = max(1, it.Repeat)
	it.Kind, it.Prompt, it.Text, it.Error, it.Question, it.OptionTexts = "", "", "", "", "", nil
}

// supersedes says whether the item replaces one from an earlier line.
func (it *Item) supersedes(old *Item) bool {
	if it.Failed() != old.Failed() {
		return old.Failed()
	}
	return it.Attempt >= old.Attempt
}
