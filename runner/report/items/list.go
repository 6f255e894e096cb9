package items

import (
	"errors"
	"iter"
	"slices"

	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/timing"
	"proctor/runner/report/html"
)

// Options choose the listed items and their columns. The zero value lists all, marked by their run's own rule set.
type Options struct {
	RuleSet string // marks all runs; empty for their own
	Filter
	Text bool // rows have their prompt and completion
}

// rowsAtOnce is how many rows are made together, on all cores.
const rowsAtOnce = 512

// A List is the items of some runs that pass a filter. It keeps the runs' journals open.
type List struct {
	runs []run
	text bool
}

// A run is a run with its listed items.
type run struct {
	*results.Run
	path    string
	journal *journal.Reader
	clock   timing.Clock
	taken   []*results.Item
}

// Open lists runs, given as their folders or journals. Its errors are those of the journals, of the rule set, and of a filter that no item
// can pass, which list the possible values.
func Open(paths []string, o Options) (*List, error) { return open(paths, o, results.OpenUnder) }

func open(paths []string, o Options, mark func(run, ruleSet string) (*results.Run, error)) (_ *List, err error) {
	l := &List{text: o.Text}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	for _, path := range paths {
		marked, err := mark(path, o.RuleSet)
		if err != nil {
			return nil, err
		}
		again, err := journal.Open(path)
		if err != nil {
			return nil, err
		}
		l.runs = append(l.runs, run{marked, path, again, timing.ClockOf(marked), nil})
	}
	takes, err := o.Filter.of(l.runs)
	if err != nil {
		return nil, err
	}
	for i := range l.runs {
		for a := range l.runs[i].View(0).Answers() {
			if takes(&l.runs[i], a) {
				l.runs[i].taken = append(l.runs[i].taken, a.Item)
			}
		}
	}
	return l, nil
}

// Len is the number of items.
func (l *List) Len() int {
	n := 0
	for _, r := range l.runs {
		n += len(r.taken)
	}
	return n
}

// Warnings are the problems in the journals that reading them tolerated.
func (l *List) Warnings() []string {
	var all []string
	for _, r := range l.runs {
		all = append(all, r.Warnings...)
	}
	return all
}

// Rows yields the items, run by run, each sorted by subject, question, repeat and variant. It ends after the first error.
func (l *List) Rows() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for _, r := range l.runs {
			for part := range slices.Chunk(r.taken, rowsAtOnce) {
				rows, err := l.rows(&r, part)
				if err != nil {
					yield(nil, err)
					return
				}
				for i := range rows {
					if !yield(&rows[i], nil) {
						return
					}
				}
			}
		}
	}
}

// rows makes the rows of some items of a run.
func (l *List) rows(r *run, some []*results.Item) ([]Row, error) {
	rows := make([]Row, len(some))
	return rows, html.OnAllCores(len(some), func(i int) error {
		if l.text {
			record, err := r.record(some[i])
			if err != nil {
				return err
			}
			rows[i] = r.whole(some[i], &record)
		} else {
			rows[i] = r.row(some[i], some[i].Kept)
		}
		if len(l.runs) > 1 {
			rows[i].Run = r.path
		}
		return nil
	})
}

// record reads an item's line again.
func (r *run) record(it *results.Item) (journal.Record, error) {
	return r.journal.At(it.Place)
}

// Close closes the journals. It is safe to call twice.
func (l *List) Close() error {
	var all []error
	for _, r := range l.runs {
		all = append(all, r.journal.Close())
	}
	l.runs = nil
	return errors.Join(all...)
}
