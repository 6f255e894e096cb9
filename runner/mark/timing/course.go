package timing

import (
	"cmp"
	"slices"

	"proctor/runner/mark/results"
)

// Active is how many slots were at work on average between two times, in seconds of the wall time.
type Active struct{ From, To, Slots float64 }

// activeParts is in how many parts the wall time is cut.
const activeParts = 120

// ActiveOf is how many slots were at work over a run, in equal parts of the wall time; nil where the journal does not tell.
func ActiveOf(run *results.Run) []Active {
	if run.Times == nil {
		return nil
	}
	return active(run.Items)
}

// active averages the number of items at work. Time without any, as between a run and its resumption, is left out.
func active(items []*results.Item) []Active {
	type span struct{ from, to float64 } // seconds
	var spans []span
	for _, it := range items {
		if !it.Began.IsZero() && it.Timing.Total > 0 {
			from := float64(it.Began.UnixNano()-items[0].Began.UnixNano()) / 1e9
			spans = append(spans, span{from, from + it.Timing.Total.Seconds()})
		}
	}
	if len(spans) == 0 {
		return nil
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	end, passed := spans[0].from, 0.0 // of the work so far
	for i, s := range spans {
		start := passed - (end - s.from)
		if s.from > end {
			start = passed
		}
		passed = max(passed, start+s.to-s.from)
		end = max(end, s.to)
		spans[i] = span{start, start + s.to - s.from}
	}
	parts := make([]Active, activeParts)
	width := passed / activeParts
	for i := range parts {
		parts[i].From, parts[i].To = width*float64(i), width*float64(i+1)
	}
	for _, s := range spans {
		for i := min(activeParts-1, int(s.from/width)); i < activeParts && parts[i].From < s.to; i++ {
			parts[i].Slots += max(0, min(s.to, parts[i].To)-max(s.from, parts[i].From)) / width
		}
	}
	return parts
}
