package results

import (
	"cmp"
	"slices"
	"time"

	"proctor/runner/journal"
)

// Times say when the backend was working, over all of a journal's lines, including those of failed items that were asked again.
type Times struct {
	Wall   time.Duration // with at least one item
	Busy   time.Duration // that items took, added up
	Engine time.Duration // prefill and decode, added up

	Others []journal.Others // use of the CPUs by other programs, in the lines' order; none where not recorded

	moments []moment
}

// A moment is the time at which an item started or ended, with the sum up to it.
type moment struct {
	at   int64
	part float64 // nanoseconds / number of items: the share of the wall time of an item present throughout
}

// span is the time for which the backend had an item, in nanoseconds since 1970.
func (it *Item) span() (began, ended int64, known bool) {
	began = it.Began.UnixNano()
	return began, began + int64(it.Timing.Total), !it.Began.IsZero() && it.Timing.Total > 0
}

// timesOf is nil where an item has no time. It includes the time of unfinished answers.
func timesOf(items []*Item, unfinished []journal.Partial) *Times {
	type step struct {
		at     int64
		change int
	}
	t := &Times{}
	steps := make([]step, 0, 2*len(items))
	for _, it := range items {
		began, ended, known := it.span()
		if !known {
			return nil
		}
		t.Busy += it.Timing.Total
		t.Engine += it.Timing.Prefill + it.Timing.Decode
		if it.Others != nil {
			t.Others = append(t.Others, *it.Others)
		}
		steps = append(steps, step{began, +1}, step{ended, -1})
	}
	for _, p := range unfinished {
		t.Busy += p.Total
		steps = append(steps, step{p.Began.UnixNano(), +1}, step{p.Ended().UnixNano(), -1})
	}
	slices.SortFunc(steps, func(a, b step) int { // at one time, items end before others start
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.change, b.change))
	})
	active, now := 0, moment{}
	for i, s := range steps {
		if i == 0 {
			now.at = s.at
		}
		if passed := s.at - now.at; passed > 0 {
			t.moments = append(t.moments, now)
			if active > 0 {
				t.Wall += time.Duration(passed)
				now.part += float64(passed) / float64(active)
			}
			now.at = s.at
		}
		active += s.change
	}
	t.moments = append(t.moments, now)
	return t
}

// share is an item's part of the wall time. Items in flight share the time equally, so the parts of all lines add up to
// it.
func (t *Times) share(it *Item) time.Duration {
	find := func(at int64) moment {
		i, _ := slices.BinarySearchFunc(t.moments, at, func(m moment, at int64) int { return cmp.Compare(m.at, at) })
		return t.moments[i]
	}
	began, ended, _ := it.span()
	return time.Duration(find(ended).part - find(began).part)
}
