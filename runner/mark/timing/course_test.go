package timing

import (
	"math"
	"testing"
	"time"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

func TestACourseCountsSlotsAtWorkAndTimes(t *testing.T) {
	h, records := journaltest.MCQ(4, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	// Two items beside each other for 6 s, one of them for 6 s more; an hour later one more for 12 s, and one of no time.
	for i, span := range []struct{ from, took time.Duration }{{0, 6 * time.Second}, {0, 12 * time.Second}, {time.Hour, 12 * time.Second},
		{time.Hour, time.Nanosecond}} {
		records[i].Began, records[i].Timing = began.Add(span.from), backends.Timing{Total: span.took, FirstToken: span.took / 2}
	}
	run, err := results.Read(&h, journaltest.Stream(records), "")
	if err != nil {
		t.Fatal(err)
	}
	active, c := ActiveOf(run), Of(run, 0.95)
	end := active[len(active)-1].To
	if len(active) != activeParts || math.Abs(end-24) > 0.01 {
		t.Fatalf("%d parts to %g s, want 24 s: the hour without work is left out", len(active), end)
	}
	for _, row := range []struct{ at, slots float64 }{{1, 2}, {5.5, 2}, {6.5, 1}, {11.5, 1}, {13, 1}, {23.5, 1}} {
		if got := active[int(row.at/24*activeParts)].Slots; math.Abs(got-row.slots) > 0.01 {
			t.Errorf("%g slots at work after %g s, want %g", got, row.at, row.slots)
		}
	}
	total := 0
	for _, bin := range c.Latency.Bins {
		total += bin.Count
	}
	if d := c.Latency; total != 4 || d.Items != 4 || d.Most != stats.Of(12) || c.FirstToken.Most != stats.Of(6) || d.Bins[0].Count != 1 {
		t.Errorf("the latencies are %+v", c.Latency)
	}
	for i := range records {
		records[i].Began, records[i].Timing = time.Time{}, backends.Timing{}
	}
	if run, err = results.Read(&h, journaltest.Stream(records), ""); err != nil {
		t.Fatal(err)
	}
	if none := Of(run, 0.95); ActiveOf(run) != nil || none.Latency.Bins != nil || none.FirstToken.Bins != nil {
		t.Errorf("a journal without times has the distributions %+v", none)
	}
}
