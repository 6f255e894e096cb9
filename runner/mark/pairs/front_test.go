package pairs

import (
	"strings"
	"testing"
	"time"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs/pairstest"
)

// quick is a run with times, of as many milliseconds an item.
func quick(quantization string, right func(q int) bool, each int) pairstest.Run {
	r := pairstest.MCQ(quantization, 2000, right)
	for i := range r.Records {
		t := &r.Records[i].Timing
		t.Prefill, t.Decode = time.Millisecond, time.Duration(each-1)*time.Millisecond
		t.Total = time.Duration(each) * time.Millisecond
	}
	r.Records = journaltest.InFlight(4, r.Records)
	return r
}

func TestSpeedsThatAreNotComparableMakeNoFrontAndNoRecommendation(t *testing.T) {
	knows := pairstest.Knows(1500, 0, 0)
	runs := func() []pairstest.Run {
		return []pairstest.Run{quick("F16", knows, 100), quick("Q8_0", pairstest.Knows(1498, 0, 0), 50), quick("Q8_0", knows, 20)}
	}
	alike := runs()
	c := compared(t, Options{Recommend: true}, alike...)
	if c.SpeedsApart() != "" || c.Runs[0].Front || !c.Runs[2].Front || c.Recommendation.Run != c.Runs[2].Name ||
		!strings.Contains(c.Recommendation.Sentence, "× as fast") {
		t.Errorf("%q, %v, %+v", c.SpeedsApart(), c.Runs[2].Front, c.Recommendation)
	}
	busy := runs()
	for i := range busy[2].Records {
		busy[2].Records[i].Others = &journal.Others{Share: 0.5, Over: time.Second}
	}
	elsewhere := runs()
	elsewhere[1].Header.Host.CPU = "another"
	for why, runs := range map[string][]pairstest.Run{
		"other programs slowed down ": busy, "the runs are of different machines": elsewhere,
	} {
		c := compared(t, Options{Recommend: true}, runs...)
		if !strings.HasPrefix(c.SpeedsApart(), why) {
			t.Errorf("%q, want %q", c.SpeedsApart(), why)
		}
		for _, run := range c.Runs {
			if run.Front {
				t.Errorf("%s: %s is on the front", why, run.Name)
			}
		}
		r := c.Recommendation
		if strings.Contains(r.Sentence, "as fast") || r.Run != c.Runs[1].Name || !strings.Contains(strings.Join(r.RestsOn, "\n"), why) {
			t.Errorf("%s: %+v", why, r)
		}
		if want := "Recommended: " + r.Sentence; r.Headline() != want {
			t.Errorf("the headline is %q, not %q", r.Headline(), want)
		}
	}
	if got := (&Recommendation{Sentence: "no recommendation: why"}).Headline(); got != "No recommendation: why" {
		t.Errorf("the headline is %q", got)
	}
}
