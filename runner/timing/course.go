package timing

import (
	"cmp"
	"slices"

	"proctor/runner/results"
	"proctor/runner/stats"
)

// A Course is how a run went, of the items with a completion. Its parts are empty where the journal does not tell.
type Course struct {
	Active     []Active // slots at work, in equal parts of the wall time
	FirstToken Distribution
	Latency    Distribution // from being taken to being answered
}

// Active is how many slots were at work on average between two times, in seconds of the wall time.
type Active struct{ From, To, Slots float64 }

// A Distribution counts times, in seconds.
type Distribution struct {
	Bins   []Bin // of equal width, from 0 to the 99th percentile, the last one with what took longer
	Of     int
	P50    stats.Number
	P95    stats.Number
	Most   float64
	Longer int // than the last bin's end
}

// A Bin counts the times between two.
type Bin struct {
	From, To float64
	Count    int
}

// How fine a course is.
const (
	activeParts = 120
	timeBins    = 24
)

// CourseOf is the course of a run.
func CourseOf(run *results.Run) Course {
	var first, latency []float64
	for a := range run.View(0).Scored() {
		if t := a.Timing.FirstToken.Seconds(); t > 0 {
			first = append(first, t)
		}
		if t := a.Timing.Total.Seconds(); t > 0 {
			latency = append(latency, t)
		}
	}
	c := Course{FirstToken: distributionOf(first), Latency: distributionOf(latency)}
	if run.Times != nil {
		c.Active = active(run.Items)
	}
	return c
}

func distributionOf(seconds []float64) Distribution {
	if len(seconds) < 2 {
		return Distribution{}
	}
	d := Distribution{Of: len(seconds), Most: slices.Max(seconds), P50: stats.Quantile(seconds, 0.50), P95: stats.Quantile(seconds, 0.95)}
	end := stats.Quantile(seconds, 0.99).Or(d.Most)
	for i := range timeBins {
		d.Bins = append(d.Bins, Bin{From: end * float64(i) / timeBins, To: end * float64(i+1) / timeBins})
	}
	for _, s := range seconds {
		if s > end {
			d.Longer++
		}
		d.Bins[min(timeBins-1, int(s/end*timeBins))].Count++
	}
	return d
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
