package ask_test

import (
	"testing"
	"time"

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

func TestAPlanTellsTheSetThatItsQuestionsAreDrawnFrom(t *testing.T) {
	for name, test := range map[string]struct {
		selection       dataset.Selection
		subjects, limit int // of the population
	}{
		"all questions":                             {dataset.Selection{}, 0, 0},
		"all of a limit beyond the set":             {dataset.Selection{Limit: 168}, 0, 168},
		"all but one":                               {dataset.Selection{Limit: 167}, 14, 167},
		"fewer questions than there are subjects":   {dataset.Selection{Limit: 5}, 14, 5},
		"some of one subject":                       {dataset.Selection{Limit: 5, Subjects: []string{"law"}}, 1, 5},
		"so many of each subject":                   {dataset.Selection{PerSubject: 3}, 14, 42},
		"a share of each subject":                   {dataset.Selection{Share: 0.5}, 14, 84},
		"all of one subject, which is all there is": {dataset.Selection{Subjects: []string{"law"}}, 0, 0},
	} {
		h, err := plannedHeader(t, task.All[0], test.selection)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(h.Selection.Population) != test.subjects || h.Selection.Limit != test.limit {
			t.Errorf("%s: %d subjects, limit %d; want %d and %d",
				name, len(h.Selection.Population), h.Selection.Limit, test.subjects, test.limit)
		}
		for subject, n := range h.Selection.Population {
			if n != 12 {
				t.Errorf("%s: %d questions of %s in the set, want 12", name, n, subject)
			}
		}
	}
}

func TestASubjectIsChosenInOneWay(t *testing.T) {
	law := task.All[0]
	law.Subject = "law"
	_, err := plannedHeader(t, law, dataset.Selection{Subjects: []string{"math"}})
	errortest.For(t, "one subject and a task that names another", err, "names a subject already")
}
