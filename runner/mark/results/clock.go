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

	most    int // items at a time
	moments []moment
}

// A moment is the time at which an item started or ended, with the sums up to it.
type moment struct {
	at     int64
	wall   float64 // nanoseconds with at least one item
	active float64 // number of items × nanoseconds
	part   float64 // nanoseconds / number of items: the share of the wall time of an item present throughout
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
		t.Busy += p.Timing.Total
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
				now.wall += float64(passed)
				now.active += float64(passed) * float64(active)
				now.part += float64(passed) / float64(active)
			}
			now.at = s.at
		}
		active += s.change
		t.most = max(t.most, active)
	}
	t.moments = append(t.moments, now)
	return t
}

// around is the items × nanoseconds while the backend had the item, and the item's part of the wall time in nanoseconds. Items in
// flight share the time equally, so the parts of all lines add up to it.
func (t *Times) around(it *Item) (active, part float64) {
	find := func(at int64) moment {
		i, _ := slices.BinarySearchFunc(t.moments, at, func(m moment, at int64) int { return cmp.Compare(m.at, at) })
		return t.moments[i]
	}
	began, ended, _ := it.span()
	from, to := find(began), find(ended)
	return to.active - from.active, to.part - from.part
}

// Active is the mean number of items in flight in each of this many equal parts of the wall time.
func (t *Times) Active(parts int) []float64 {
	averages, width, before, next := make([]float64, parts), float64(t.Wall)/float64(parts), 0.0, 1
	for i := range averages {
		end := min(float64(t.Wall), width*float64(i+1))
		for next < len(t.moments)-1 && t.moments[next].wall < end {
			next++
		}
		from, to := t.moments[next-1], t.moments[next]
		sum := from.active + (to.active-from.active)*(end-from.wall)/(to.wall-from.wall)
		averages[i], before = (sum-before)/width, sum
	}
	return averages
}

// share is an item's part of the wall time, and whether it had, on average, 0.95 of the largest number of items beside
// it, itself counted.
func (t *Times) share(it *Item) (wall time.Duration, fullSlots bool) {
	const nearly = 0.95
	active, part := t.around(it)
	return time.Duration(part), active >= nearly*float64(t.most)*float64(it.Timing.Total)
}
