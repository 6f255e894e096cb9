package ask_test

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/scripts/tests/errortest"
)

// plannedHeader is the header of a plan on the bundled sample: 14 subjects of 12 questions.
func plannedHeader(t *testing.T, of task.Task, selection dataset.Selection) (journal.Header, error) {
	t.Helper()
	plan, err := ask.NewPlan(sample(t), evalOf(t, of, 1), selection, ask.Settings{MaxTokens: 9})
	if err != nil {
		return journal.Header{}, err
	}
	return plan.Header(backends.Info{}, backends.Host{}, "test", time.Unix(0, 0)), nil
}

func TestAPlanTellsItsLimitInQuestions(t *testing.T) {
	for want, selection := range map[int]dataset.Selection{
		0: {}, 167: {Limit: 167}, 5: {Limit: 5, Subjects: []string{"law"}}, 42: {PerSubject: 3}, 84: {Share: 0.5},
	} {
		h, err := plannedHeader(t, task.All[0], selection)
		assert.Check(t, err == nil && h.Selection.Limit == want,
			"%+v: limit %d, want %d (%v)", selection, h.Selection.Limit, want, err)
	}
}

func TestASubjectIsChosenInOneWay(t *testing.T) {
	law := task.All[0]
	law.Subject = "law"
	_, err := plannedHeader(t, law, dataset.Selection{Subjects: []string{"math"}})
	errortest.For(t, "one subject and a task that names another", err, "names a subject already")
}
