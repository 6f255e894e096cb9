package report

import (
	"cmp"
	"slices"
	"time"

	"proctor/runner/journal"
)

// A span is the time for which the backend had an item, in nanoseconds since 1970; zero where the journal does not say.
type span struct{ began, ended int64 }

func spanOf(r *journal.Record) span {
	if r.Began.IsZero() || r.Timing.Total <= 0 {
		return span{}
	}
	began := r.Began.UnixNano()
	return span{began, began + int64(r.Timing.Total)}
}

func (s span) long() time.Duration { return time.Duration(s.ended - s.began) }

// A clock knows how many items the backend had at any time. It is made of all of a journal's lines, also those that
// failed and were asked again: their time has passed, too.
type clock struct {
	wall   time.Duration // with at least one item
	busy   time.Duration // that items took, added up
	engine time.Duration // prefill and decode, added up
	most   int           // items at a time

	moments []moment
}

// A moment is one at which an item came or went, and what has added up by then.
type moment struct {
	at     int64
	active float64 // number of items × nanoseconds
	part   float64 // nanoseconds / number of items: what an item there all the time has had of the wall time
}

// clockOf is nil where one of the items does not say when it was asked.
func clockOf(items []item) *clock {
	type step struct {
		at     int64
		change int
	}
	c := &clock{}
	steps := make([]step, 0, 2*len(items))
	for i := range items {
		it := &items[i]
		if it.span == (span{}) {
			return nil
		}
		c.busy += it.span.long()
		c.engine += it.timing.Prefill + it.timing.Decode
		steps = append(steps, step{it.span.began, +1}, step{it.span.ended, -1})
	}
	slices.SortFunc(steps, func(a, b step) int { // an item that goes makes room for one that comes
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.change, b.change))
	})
	active, now := 0, moment{}
	for i, s := range steps {
		if i == 0 {
			now.at = s.at
		}
		if passed := s.at - now.at; passed > 0 {
			c.moments = append(c.moments, now)
			if active > 0 {
				c.wall += time.Duration(passed)
				now.active += float64(passed) * float64(active)
				now.part += float64(passed) / float64(active)
			}
			now.at = s.at
		}
		active += s.change
		c.most = max(c.most, active)
	}
	c.moments = append(c.moments, now)
	return c
}

func (c *clock) between(s span) (active, part float64) {
	find := func(at int64) moment {
		i, _ := slices.BinarySearchFunc(c.moments, at, func(m moment, at int64) int { return cmp.Compare(m.at, at) })
		return c.moments[i]
	}
	from, to := find(s.began), find(s.ended)
	return to.active - from.active, to.part - from.part
}

// part is a span's share of the wall time, which the items that are there share equally: the shares of all lines add up
// to it. 0 without a clock.
func (c *clock) part(s span) time.Duration {
	if c == nil {
		return 0
	}
	_, part := c.between(s)
	return time.Duration(part)
}

// full says whether a span had, on average, 0.95 of the largest number of items beside it, itself counted.
func (c *clock) full(s span) bool {
	const nearly = 0.95
	active, _ := c.between(s)
	return active >= nearly*float64(c.most)*float64(s.long())
}
