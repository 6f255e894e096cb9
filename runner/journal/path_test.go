package journal_test

import (
	"path/filepath"
	"slices"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

// begun writes a run that a command with these --tasks began.
func begun(t *testing.T, folder, model, tasks string) {
	t.Helper()
	header, _ := journaltest.MCQ(1, func(int, int, string) journaltest.Answer { return journaltest.Answer{} })
	header.Model.Name = model
	if tasks != "" {
		header.Flags = map[string][]string{"tasks": {tasks}}
	}
	journaltest.Keep(t, folder, header, nil)
}

func TestTasksAreThoseOfOneRun(t *testing.T) {
	for name, c := range map[string]struct {
		models, tasks [2]string
		together      bool
	}{
		"one command's tasks":    {[2]string{"m", "m"}, [2]string{"a,b", "a,b"}, true},
		"two models":             {[2]string{"m", "n"}, [2]string{"a,b", "a,b"}, false},
		"two commands":           {[2]string{"m", "m"}, [2]string{"a", "b"}, false},
		"commands without tasks": {[2]string{"m", "m"}, [2]string{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			run := t.TempDir()
			a, b := filepath.Join(run, "a"), filepath.Join(run, "b")
			begun(t, a, c.models[0], c.tasks[0])
			begun(t, b, c.models[1], c.tasks[1])
			want := []string{run}
			if c.together {
				want = []string{a, b}
			}
			if got := journal.Tasks(run); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if got := journal.Tasks(a); !slices.Equal(got, []string{a}) {
				t.Errorf("one task is %q", got)
			}
		})
	}
}
