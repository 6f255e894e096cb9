package ask_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/runner/ask"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/spec"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/scripts/tests/errortest"
)

// command is what one call of run asks for.
type command struct {
	tasks     string
	selection dataset.Selection
	settings  spec.Spec
	resume    bool
	stopAfter int          // items; 0 for never
	set       *dataset.Set // nil for the sample
	again     bool
	answer    func(backends.Request) string
}

// in runs a session in a folder, and returns what was told.
func (s command) in(t *testing.T, out string) (told string, err error) {
	t.Helper()
	set := s.set
	if set == nil {
		set = sample(t)
	}
	s.settings.MaxTokens = cmp.Or(s.settings.MaxTokens, 16)
	session := sessionIn(t, out, ask.Cell{Set: set, Evals: evalsOf(t, s.tasks, set), Selection: s.selection,
		Spec: s.settings})
	session.Resume, session.Again = s.resume, s.again
	session.Flags = map[string][]string{"limit": {fmt.Sprint(s.selection.Limit)}}
	session.OnPlan = func(line string) { told += line }
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	answered := 0
	session.watch(func(*journal.Header, progress.Counts) func(*journal.Record) {
		return func(*journal.Record) {
			if answered++; answered == s.stopAfter {
				stop()
			}
		}
	})
	running, err := session.with(ctx, &scripted.Model{Answer: s.answer})
	if err != nil {
		return told, err
	}
	err = running.Run(ctx, func(ask.Outcome) error { return nil })
	if s.stopAfter > 0 && errors.Is(err, context.Canceled) {
		err = nil // as it was to be
	}
	return told, err
}

// runs is in, which must do it.
func (s command) runs(t *testing.T, out string) (told string) {
	t.Helper()
	told, err := s.in(t, out)
	assert.NilError(t, err)
	return told
}

// TestAnExtendedRunEqualsOneWithAllQuestionsFromTheStart extends runs at random, stops them at random, and goes on.
func TestAnExtendedRunEqualsOneWithAllQuestionsFromTheStart(t *testing.T) {
	random := rand.New(rand.NewPCG(22, 4))
	for round := range 6 {
		tasks := []string{"mmlu_pro", "mmlu_pro_binary", "mmlu_pro_math,mmlu_pro_binary_law"}[round%3]
		most := map[int]int{0: 56, 1: 28, 2: 12}[round%3]
		limits := []int{1 + random.IntN(most-2), 1 + random.IntN(most-1), 1 + random.IntN(most)}
		slices.Sort(limits)
		cmd := command{tasks: tasks, selection: dataset.Selection{Seed: random.Uint64N(9), First: round%4 == 3}}
		if round%3 != 2 {
			cmd.settings.Repeats = 1 + round%2
		}
		whole, grown := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
		cmd.selection.Limit = limits[2]
		cmd.runs(t, whole)
		for i, limit := range limits {
			cmd.selection.Limit, cmd.stopAfter = limit, 1+random.IntN(limit)
			told, err := cmd.in(t, grown) // stops, or not
			assert.NilError(t, err)
			want := i > 0 && limit > limits[i-1]
			assert.Check(t, strings.Contains(told, "extends the run") == want &&
				(!want || strings.Contains(told, fmt.Sprintf("from %d to %d questions", limits[i-1], limit))),
				"from %v to %d questions: told %q", limits[:i], limit, told)
			cmd.resume = true
		}
		cmd.stopAfter = 0
		cmd.runs(t, grown)
		sameRuns(t, fmt.Sprintf("%s, limits %v", tasks, limits), whole, grown)
	}
}

// inBoth are the journals of a folder, and those in the same places of another one.
func inBoth(t *testing.T, whole, other string) map[string]string {
	t.Helper()
	journals, err := journal.Under(whole)
	both := map[string]string{}
	for _, path := range journals {
		both[path] = strings.Replace(path, whole, other, 1)
	}
	assert.Assert(t, err == nil && len(both) != 0, "%v, %v", err, journals)
	return both
}

// sameRuns compares the runs of two folders, but for times and the order of asking.
func sameRuns(t *testing.T, name, whole, grown string) {
	t.Helper()
	for path, other := range inBoth(t, whole, grown) {
		a, b := load(t, path), load(t, other)
		b.Header.History = a.Header.History
		assert.Check(t, reflect.DeepEqual(a.Header, b.Header), "%s: headers\n%+v\n%+v", name, a.Header, b.Header)
		assert.Check(t, is.Len(b.Records, len(a.Records)), name)
		assert.Check(t, is.Equal(newTokensOf(b.Records), newTokensOf(a.Records)), name)
		x, y := timeless(t, path), timeless(t, other)
		assert.Check(t, reflect.DeepEqual(x, y), "%s: reports\n%v\n%v", name, x, y)
	}
}

func newTokensOf(records []journal.Record) int {
	sum := 0
	for _, r := range records {
		sum += r.NewTokens
	}
	return sum
}

// timeless is a run's report without what depends on the clock.
func timeless(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := json.Marshal(summary(t, path))
	assert.NilError(t, err)
	var report map[string]any
	assert.NilError(t, json.Unmarshal(text, &report))
	delete(report, "speed")
	delete(report["run"].(map[string]any), "history")
	for _, subject := range report["subjects"].([]any) {
		maps.DeleteFunc(subject.(map[string]any), func(key string, _ any) bool { return strings.HasPrefix(key, "seconds_") })
	}
	return report
}

func TestARunIsNotCut(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	cmd := command{tasks: "mmlu_pro", selection: dataset.Selection{Limit: 28, Seed: 4}}
	cmd.runs(t, out)
	cmd.resume = true
	for name, test := range map[string]struct {
		selection dataset.Selection
		settings  spec.Spec
		want      string
	}{
		"fewer": {dataset.Selection{Limit: 27, Seed: 4}, spec.Spec{},
			"limit 27: these 27 questions are not all of the 28 that the run in " + out + " asks: a run can be extended, not cut"},
		"others of each subject": {dataset.Selection{PerSubject: 1, Seed: 4}, spec.Spec{}, "these 14 questions are not all"},
		"another seed":           {dataset.Selection{Limit: 40, Seed: 5}, spec.Spec{}, "selection.seed (journal: 4, now: 5)"},
		"another way of drawing": {dataset.Selection{Limit: 40, Seed: 4, First: true}, spec.Spec{}, "selection.first (journal:"},
		"several repeats": {dataset.Selection{Limit: 40, Seed: 4}, spec.Spec{Repeats: 2}, "repeats (journal: 1, " +
			"now: 2)"},
	} {
		cmd.selection, cmd.settings = test.selection, test.settings
		_, err := cmd.in(t, out)
		errortest.For(t, name, err, test.want)
	}
	kept := load(t, out)
	assert.Check(t, len(kept.Header.History) == 1 && len(kept.Records) == 28, "refusals changed the run: %+v", kept.Header)
	all, held := filepath.Join(t.TempDir(), "all"), filepath.Join(t.TempDir(), "held")
	cmd = command{tasks: "mmlu_pro", answer: varied}
	cmd.runs(t, all)
	cmd.selection.Limit, cmd.settings.Ending = 100, spec.Ending{UntilDecided: all, Margin: 0.01}
	cmd.runs(t, held)
	cmd.selection.Limit, cmd.resume = 120, true
	_, err := cmd.in(t, held)
	errortest.For(t, "a run that stops once it is decided", err, "interim analyses are spread over the 100 questions")
}

// TestARunIsExtendedBySubject: every form of a limit can be.
func TestARunIsExtendedBySubject(t *testing.T) {
	whole, grown := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	cmd := command{tasks: "mmlu_pro", set: schoolSet()}
	for _, selection := range []dataset.Selection{{PerSubject: 2}, {Share: 0.1}, {Share: 0.2}, {Limit: 700}} {
		cmd.selection = selection
		cmd.runs(t, grown)
		cmd.resume = true
	}
	cmd.resume = false
	cmd.runs(t, whole)
	sameRuns(t, "2 of each subject, a tenth, a fifth, 700", whole, grown)
}

func summary(t *testing.T, path string) *metrics.Summary {
	t.Helper()
	s, err := metrics.Open(path, metrics.Options{})
	assert.NilError(t, err)
	return s
}
