package ask_test

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/runner/ask/progress"
	"proctor/runner/journal"
)

// TestProgressOfAResumedRunIsTheWholeRuns stops a run twice. A retried failure and answers of earlier sessions count once.
func TestProgressOfAResumedRunIsTheWholeRuns(t *testing.T) {
	out := t.TempDir()
	var state *progress.State
	var report outcome
	for session, stopAfter := range []int{20, 20, 0} {
		ctx, interrupt := context.WithCancel(t.Context())
		s := sessionOf(t, out, 56, "mmlu_pro")
		s.Resume = session > 0
		s.watch(func(header *journal.Header, asked []progress.Subject) func(*journal.Record) {
			state = progress.New(header, asked, clock)
			return func(r *journal.Record) {
				state.Add(r)
				if stopAfter--; stopAfter == 0 {
					interrupt()
				}
			}
		})
		model := &scripted.Model{
			Answer: func(r backends.Request) string {
				return []string{"the answer is (A).", "I can't tell.", "the answer is (B)."}[len(r.ID)%3]
			},
			Fail: func(r backends.Request) *scripted.Error {
				if session == 0 && strings.HasSuffix(r.ID, "1") {
					return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
				}
				return nil
			},
		}
		report = ran(ctx, t, s, model)[0]
		interrupt()
	}
	u, want := state.At(clock), report.Report
	if u.Done != 56 || u.Scored != want.Items || u.Correct != want.Correct || u.Accuracy != want.Accuracy || want.Correct == 0 {
		t.Errorf("progress has %d done, %d of %d right, %v; the report %d of %d, %v", u.Done, u.Correct, u.Scored, u.Accuracy,
			want.Correct, want.Items, want.Accuracy)
	}
	for tag, n := range want.FailureCounts {
		assert.Check(t, u.Failures[tag] == n, "progress has %d of %s, the report %d", u.Failures[tag], tag, n)
	}
	for i, subject := range want.Subjects {
		if got := u.Subjects[i]; got.Subject != subject.Subject || got.Correct != subject.Correct || got.Scored != subject.Items {
			t.Errorf("progress %+v, report %+v", got, subject)
		}
	}
}
