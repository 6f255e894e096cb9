package ask

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/results"
)

// clocked is a plan of ten questions of the sample, and the header of its run.
func clocked(t *testing.T, model backends.Model) (*Plan, journal.Header) {
	t.Helper()
	set, err := dataset.Open(dataset.SampleName, dataset.Options{})
	assert.NilError(t, err)
	questions, err := NewQuestions(set, prompts.Eval{Task: task.All[0], Style: prompts.Styles[0]}, dataset.Selection{Limit: 10},
		spec.Spec{Answers: spec.Answers{MaxTokens: 8}})
	assert.NilError(t, err)
	plan, err := questions.Raw().Measure(nil)
	assert.NilError(t, err)
	info, err := model.Info(t.Context())
	assert.NilError(t, err)
	return plan, plan.Header(info, backends.Host{}, "test", time.Unix(0, 0))
}

// TestTheJournalsTimesAreThoseThatPassed has every item take two seconds, whatever the machine's clock tells meanwhile.
func TestTheJournalsTimesAreThoseThatPassed(t *testing.T) {
	model, run := &scripted.Model{}, filepath.Join(t.TempDir(), "run")
	plan, header := clocked(t, model)
	writer, err := journal.Create(run, header)
	assert.NilError(t, err)
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	passed := time.Duration(0)
	told := func() time.Duration { passed += 2 * time.Second; return passed }
	a := plan.execute(model, writer, &journal.Held{}, Observer{})
	a.clock, a.others = clock{began, told}, nil
	assert.NilError(t, a.sequentially(t.Context()))
	assert.NilError(t, writer.Close())
	kept, err := results.Open(run, "")
	assert.NilError(t, err)
	assert.Check(t, kept.Times != nil && kept.Times.Wall == 20*time.Second && kept.Times.Busy == 20*time.Second, "%+v", kept.Times)
}

// TestAClockThatWasSetBackDoesNotSpeedARunUp goes on with a run whose first session was an hour ahead of the clock.
func TestAClockThatWasSetBackDoesNotSpeedARunUp(t *testing.T) {
	model, run := &scripted.Model{}, filepath.Join(t.TempDir(), "run")
	plan, header := clocked(t, model)
	began := time.Now().Add(time.Hour).UTC()
	first := journal.Record{ID: plan.Items[0].ID, QuestionID: plan.Items[0].QuestionID, Subject: plan.Items[0].Subject, Options: 10, Gold: "A",
		Finish: backends.FinishStop, Attempt: 1, Began: began, Timing: backends.Timing{Total: 30 * time.Second}}
	journaltest.Keep(t, run, header, []journal.Record{first})
	writer, resume, err := journaltest.Resume(run, header)
	assert.NilError(t, err)
	defer writer.Close()
	end := began.Add(30 * time.Second)
	assert.Check(t, resume.Ended.Equal(end), "the first session ended at %s, not %s", resume.Ended, end)
	warning := setBack(time.Now(), &resume.Held)
	assert.Check(t, strings.Contains(warning, "but the run's last answer came at "+end.Format(time.DateTime)), "warning %q", warning)
	assert.Check(t, is.Equal(setBack(end.Add(time.Second), &resume.Held), ""), "a clock that went on")
	answered := 0
	err = plan.Run(t.Context(), model, writer, &resume.Held, Observer{Item: func(r *journal.Record) {
		answered++
		assert.Check(t, !r.Began.Before(end) && !r.Began.After(end.Add(10*time.Minute)), "%s was asked at %s, after %s", r.ID, r.Began, end)
	}})
	assert.Check(t, err == nil && answered == 9, "%d asked, %v", answered, err)
}
