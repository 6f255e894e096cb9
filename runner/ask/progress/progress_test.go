package progress

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal/journaltest"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// In 20 seconds 30 of 60 items were answered, 10 were before.
func TestTheLineCountsWhatWasAnswered(t *testing.T) {
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
	s := New(&h, Counts{Items: 60, Done: 10, Scored: 10, Correct: 1}, "[2/4 Q8_0] ", began)
	for i := range records[:30] {
		r := &records[i]
		r.Timing.Total, r.Usage = 2*time.Second, backends.Usage{PromptTokens: 100, ReusedTokens: 90, OutputTokens: 10}
		s.Add(r)
	}
	assert.Check(t, is.Equal(s.Counts, Counts{Items: 60, Done: 40, Scored: 37, Correct: 25, Errors: 3}))
	line := s.Line(began.Add(20 * time.Second))
	assert.Check(t, is.Equal(line, "[2/4 Q8_0] mmlu_pro 40/60  ETA 13s  accuracy 67.57 % (51.44–81.11 %)  errors 3  30 "+
		"tokens/s"))
	s.header.Task, s.header.Dataset.Name = "mmlu_pro_binary", "quiz"
	line = s.Line(began.Add(20 * time.Second))
	assert.Check(t, strings.HasPrefix(line, "[2/4 Q8_0] quiz_binary 40/60  "), "a set of one's own has its name: %s", line)
}

func TestTheFirstAnswersDoNotStandForSlotsStillAtWork(t *testing.T) {
	h, records := journaltest.MCQ(100, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Backend.Slots = 10
	s := New(&h, Counts{Items: 100}, "", began)
	records[0].Timing.Total = 20 * time.Second
	s.Add(&records[0])
	line := s.Line(began.Add(20 * time.Second))
	assert.Check(t, strings.Contains(line, "  ETA 3m18s  "), "99 more, ten at a time, 20 s each: %s", line)
}
