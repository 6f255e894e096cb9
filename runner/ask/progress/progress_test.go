package progress

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/stats"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// half is a state in which 40 of 60 items were answered in 20 seconds, 10 of them before.
func half(t *testing.T) Update {
	t.Helper()
	h, records := journaltest.MCQ(60, func(q, _ int, gold string) journaltest.Answer {
		switch {
		case q%10 == 3:
			return journaltest.Answer{Failed: backends.CauseTimeout}
		case q%10 == 4:
			return journaltest.Answer{}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Backend.Slots = 4
	earlier := map[string]int{"NO_ANSWER": 2, "WRONG_ANSWER": 7}
	s := New(&h, []Subject{{Name: "biology", Items: 20}, {Name: "law", Items: 20, Done: 10, Correct: 1, Failures: earlier},
		{Name: "math", Items: 20}}, began)
	for i := range records[:30] {
		r := &records[i]
		r.Timing.Total, r.Usage = 2*time.Second, backends.Usage{PromptTokens: 100, ReusedTokens: 90, OutputTokens: 10}
		s.Add(r)
	}
	return s.At(began.Add(20 * time.Second))
}

func TestAnUpdateCountsWhatWasAnswered(t *testing.T) {
	u := half(t)
	assert.Check(t, u.Done == 40 && u.Total == 60 && u.Scored == 37 && u.Correct == 25 && !u.CI.IsZero(), "%+v", u)
	assert.Check(t, u.ETA.Or(0) > 13.3 && u.ETA.Or(0) < 13.4, "20 items are left at 1.5 a second, in %v", u.ETA)
	assert.Check(t, u.Rate.Or(0) == 30 && u.Active.Or(0) == 3 && u.Failures["NO_ANSWER"] == 5 && u.Failures["ADAPTER_ERROR"] == 3,
		"%g tokens a second, %g slots, %v", u.Rate.Or(0), u.Active.Or(0), u.Failures)
	done, scored := 0, 0
	for _, p := range u.Subjects {
		done += p.Done
		scored += p.Scored
	}
	assert.Check(t, done == u.Done && scored == u.Scored && len(u.Subjects) == 3, "%d, %d, %+v", done, scored, u.Subjects)
	assert.Check(t, is.Equal(u.Line(), "mmlu_pro 40/60  ETA 13s  accuracy 67.57 % (51.44–81.11 %)  errors 3  30 tokens/s"))
	var fields map[string]any
	text, err := json.Marshal(u)
	assert.Check(t, err == nil && json.Unmarshal(text, &fields) == nil && fields["kind"] == "progress" &&
		!strings.Contains(string(text), "\n"), "%s %v", text, err)
}

func TestTheFirstAnswersDoNotStandForSlotsStillAtWork(t *testing.T) {
	h, records := journaltest.MCQ(100, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Backend.Slots = 10
	s := New(&h, []Subject{{Name: "law", Items: 100}}, began)
	records[0].Timing.Total = 20 * time.Second
	s.Add(&records[0])
	eta := s.At(began.Add(20 * time.Second)).ETA.Or(0)
	assert.Check(t, eta > 197 && eta < 199, "99 more, ten at a time, 20 s each, in %g s", eta)
}

func TestAPartOfASweepSaysWhereThatStands(t *testing.T) {
	h, records := journaltest.MCQ(4, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	s := New(&h, []Subject{{Name: "law", Items: 4}}, began)
	s.In(func() Sweep { return Sweep{Candidate: "Q8_0", Number: 2, Of: 4, ETA: stats.Of(90)} })
	s.Add(&records[0])
	u := s.At(began.Add(10 * time.Second))
	line := u.Line()
	assert.Check(t, strings.HasPrefix(line, "[2/4 Q8_0] mmlu_pro 1/4  ETA 30s  sweep ETA 1m30s  accuracy "), "%q", line)
	text, err := json.Marshal(u)
	assert.Check(t, err == nil &&
		strings.Contains(string(text), `"sweep":{"candidate":"Q8_0","number":2,"of":4,"eta_seconds":90}`), "%s, %v", text, err)
}
