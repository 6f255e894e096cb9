package metrics

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/timing"
)

// tenAnswers is a run of ten items of 1,200 prompt tokens, 1,000 of them reused, and 50 output tokens each; 40 ms of
// prefill and 200 of decode.
func tenAnswers() (journal.Header, []journal.Record) {
	return journaltest.MCQ(10, func(int, int, string) journaltest.Answer { return journaltest.Answer{Letter: "A"} })
}

func speedIn(t *testing.T, h journal.Header, records []journal.Record) timing.Speed {
	t.Helper()
	return mustBuild(t, h, records, Options{}).Speed
}

func TestAJournalWithoutTimesHasNoWallTime(t *testing.T) {
	h, records := tenAnswers()
	records = journaltest.InFlight(5, records)
	records[7].Began = time.Time{} // such as one that an older program wrote
	s := speedIn(t, h, records)
	for name, figure := range map[string]stats.Number{
		"wall time": s.WallSeconds, "questions/min": s.PerMinute, "mean active slots": s.MeanActive, "outside": s.Outside,
	} {
		assert.Check(t, !figure.Defined(), "%s is %v", name, figure)
	}
	assert.Check(t, s.PerEngineMinute.Defined(), "%+v", s)
}

func TestTheWallTimeIsWhenTheBackendHadAnItem(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(r journal.Record, began, ended time.Duration) journal.Record {
		r.Began, r.Timing.Total = start.Add(began), ended-began
		r.Timing.Prefill, r.Timing.Decode = 100*time.Millisecond, 400*time.Millisecond
		return r
	}
	h, all := tenAnswers()
	records := []journal.Record{
		at(all[0], 0, 4*time.Second),
		at(all[1], 1*time.Second, 3*time.Second),     // inside
		at(all[2], 3*time.Second, 6*time.Second),     // overlapping
		at(all[3], time.Hour, time.Hour+time.Second), // after a pause
	}
	failed := at(all[4], 6*time.Second, 8*time.Second)
	failed.Finish, failed.Cause, failed.Error = backends.FinishError, backends.CauseTimeout, "late"
	again := at(all[4], time.Hour+time.Second, time.Hour+2*time.Second)
	again.Attempt = 2
	records = append(records, failed, again)
	s := speedIn(t, h, records)
	near(t, "wall", s.WallSeconds, 6+2+2)
	near(t, "questions/min", s.PerMinute, 5/(10.0/60))
	near(t, "mean active", s.MeanActive, (4+2+3+1+2+1)/10.0)
	near(t, "outside", s.Outside, 1-6*0.5/10)
}

func TestTimesOfAServerOverlap(t *testing.T) {
	h, records := tenAnswers()
	h.Backend.Servers = []string{"http://127.0.0.1:11434"}
	s := speedIn(t, h, journaltest.InFlight(5, records))
	near(t, "decode of a request", s.DecodeSlot, 250)
	near(t, "questions/min", s.PerMinute, 60/(0.240*1.005))
	assert.Check(t, !s.Decode.Defined() && !s.EngineSeconds.Defined() && !s.Outside.Defined(), "%+v", s)
	h.Backend.Slots = 1
	s = speedIn(t, h, journaltest.InFlight(1, records))
	near(t, "decode, one request at a time", s.Decode, 250)
	near(t, "outside, one request at a time", s.Outside, 1-1/1.005)
}

func TestWarningsOfReuse(t *testing.T) {
	for name, test := range map[string]struct {
		reused, fresh int
		want          string
	}{
		"nothing reused, and nobody knows what could be": {0, 0, "every item's shots were evaluated again"},
		"nothing reused of what could be":                {0, 200, "though 83.33 % of them are shared"},
		"nothing reused, since nothing is shared":        {0, 1200, ""},
		"something reused":                               {1, 200, ""},
	} {
		h, records := tenAnswers()
		for i := range records {
			records[i].Usage.ReusedTokens, records[i].NewTokens = test.reused, test.fresh
		}
		got := strings.Join(mustBuild(t, h, records, Options{}).About(AboutSpeed), "\n")
		assert.Check(t, (got == "") == (test.want == "") && strings.Contains(got, test.want), "%s: %q, want %q", name, got, test.want)
	}
}
