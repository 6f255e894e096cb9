package ask_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/scripts/tests/errortest"
)

// schoolSet is a made-up set of five subjects of very different sizes.
func schoolSet() *dataset.Set {
	set := &dataset.Set{Name: "school", SHA256: "5c4001"}
	id := 0
	for subject, size := range map[string]int{"art": 20, "biology": 45, "chess": 135, "dance": 400, "english": 600} {
		for range size {
			id++
			set.Test = append(set.Test, dataset.Question{Text: "?", Options: []string{"w", "x", "y", "z"}, Answer: "C", AnswerIndex: 2,
				Subject: subject})
		}
	}
	slices.SortFunc(set.Test, func(a, b dataset.Question) int { return strings.Compare(a.Subject, b.Subject) })
	for i := range set.Test {
		set.Test[i].ID, set.Test[i].Text = i+1, fmt.Sprintf("Which one is number %d?", i+1)
	}
	return set
}

func TestARunStopsAtTheFirstLookThatIsNarrowEnough(t *testing.T) {
	for _, task := range task.Generating() {
		target := 0.045
		if task.Name == "mmlu_pro_circular" {
			target = 0.03 // few questions have every variant right, which makes for a narrow interval
		}
		t.Run(task.Name, func(t *testing.T) {
			plan := planWith(t, schoolSet(), task, dataset.Selection{Seed: 3}, ask.Settings{UntilHalfWidth: target})
			var seen []journal.Interim
			run := filepath.Join(t.TempDir(), "run")
			observer := ask.Observer{Interim: func(l *journal.Interim) { seen = append(seen, *l) }}
			if err := answer(t, plan, &scripted.Model{Answer: wavering(task)}, run, observer); err != nil {
				t.Fatal(err)
			}
			kept := load(t, run)
			if len(kept.Interims) != len(seen) || len(seen) < 2 {
				t.Fatalf("%d looks in the journal, %d seen; want the same, and several", len(kept.Interims), len(seen))
			}
			for i, interim := range kept.Interims {
				last := i == len(kept.Interims)-1
				if width := *interim.HalfWidth; (width <= target) != last || (interim.Stop == journal.StopNarrow) != last {
					t.Errorf("look %d of %d: half width %g, stop %q", interim.Number, len(kept.Interims), width, interim.Stop)
				}
				if interim.Number != i+1 || interim.Questions < 100 {
					t.Errorf("look %+v", interim)
				}
			}
			last := kept.Interims[len(kept.Interims)-1]
			r, err := metrics.Open(run, metrics.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(kept.Records) != last.Items || last.Items == len(plan.Items) || !r.Completeness.Complete {
				t.Errorf("%d records, look at %d of %d items, %+v", len(kept.Records), last.Items, len(plan.Items), r.Completeness)
			}
			if width := r.Headline.CI.HalfWidth().Or(9); width != *last.HalfWidth || r.Headline.Name != last.Headline {
				t.Errorf("the report's interval of %s is ± %g, the look's of %s ± %g",
					r.Headline.Name, width, last.Headline, *last.HalfWidth)
			}
			if r.Headline.CI.Method != "betting sequence" || r.Sample != nil {
				t.Errorf("the headline is %+v, of a sample %+v", r.Headline, r.Sample)
			}
			if r.Stratified == nil && task.Name == "mmlu_pro" {
				t.Error("a run that stopped is a sample of the whole set, which its report should weight it back to")
			}
		})
	}
}

// wavering knows every other of the school set's questions, in whatever order its options stand.
func wavering(task task.Task) func(backends.Request) string {
	return func(r backends.Request) string {
		letter := "A"
		if task.Style == "binary@1" {
			letter = string("AB"[digest(r.Prompt)[0]%2])
		} else if at := strings.LastIndex(r.Prompt, ". y\n"); digest(strings.SplitAfter(r.Prompt, "?")[0])[0]%2 == 0 {
			letter = r.Prompt[at-1 : at]
		}
		return " The answer is (" + letter + ")."
	}
}

func TestTheBatchesAreDrawnByChanceFromAllQuestions(t *testing.T) {
	set := schoolSet()
	var rank [1200]string
	for i, q := range set.Test {
		rank[i] = (&journal.Selection{Seed: 11}).Rank(q.Subject, q.ID)
	}
	slices.Sort(rank[:])
	for _, limit := range []int{0, 700, 150} {
		plan := planWith(t, set, task.All[0], dataset.Selection{Seed: 11, Limit: limit}, ask.Settings{UntilHalfWidth: 1e-6})
		var asked []string
		interims := 0
		looks := func(l *journal.Interim) {
			interims++
			if got := slices.Sorted(slices.Values(asked)); !slices.Equal(got, rank[:l.Questions]) {
				t.Errorf("limit %d: after %d questions these were not the first of the order", limit, l.Questions)
			}
		}
		run := filepath.Join(t.TempDir(), "run")
		if err := answer(t, plan, &scripted.Model{Answer: wavering(task.All[0])}, run, ask.Observer{Interim: looks, Item: func(r *journal.Record) {
			asked = append(asked, (&journal.Selection{Seed: 11}).Rank(r.Subject, r.QuestionID))
		}}); err != nil {
			t.Fatal(err)
		}
		kept := load(t, run)
		last := kept.Interims[len(kept.Interims)-1]
		if last.Stop != journal.StopAsked || len(kept.Records) != len(plan.Items) || interims != len(kept.Interims) {
			t.Errorf("limit %d: %d of %d items, last look %+v", limit, len(kept.Records), len(plan.Items), last)
		}
	}
}

func TestADrawHoldsEverySmallerDraw(t *testing.T) {
	set := schoolSet()
	before := map[int]bool{}
	for limit := 1; limit <= len(set.Test); limit += 7 {
		questions, err := set.Select(dataset.Selection{Limit: limit, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		now := map[int]bool{}
		for _, q := range questions {
			now[q.ID] = true
		}
		for id := range before {
			if !now[id] {
				t.Fatalf("a limit of %d drops question %d", limit, id)
			}
		}
		before = now
	}
}

func TestAResumedRunStopsWhereAnUninterruptedOneDoes(t *testing.T) {
	set := schoolSet()
	settings := ask.Settings{UntilHalfWidth: 0.05, Repeats: 2}
	model := func() *scripted.Model { return &scripted.Model{Answer: wavering(task.All[0])} }
	planned := func() *ask.Plan {
		return planWith(t, set, task.All[0], dataset.Selection{Seed: 2}, settings)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if err := answerAll(t, planned(), model(), whole, nil); err != nil {
		t.Fatal(err)
	}
	want := load(t, whole)
	if len(want.Interims) < 3 {
		t.Fatalf("only %d looks", len(want.Interims))
	}
	for _, stopAt := range []int{1, 199, 200, 201, 249, 251, len(want.Records) - 1} {
		run := filepath.Join(t.TempDir(), "run")
		to, err := journal.Create(run, headerOf(t, planned(), model()))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := 0
		err = planned().Run(ctx, model(), to, &journal.Resume{}, ask.Observer{Item: func(*journal.Record) {
			if done++; done == stopAt {
				cancel()
			}
		}})
		to.Close()
		if err == nil {
			t.Fatalf("the run was not stopped at item %d", stopAt)
		}
		goOn(t, planned(), model(), run, nil)
		got := load(t, run)
		if !reflect.DeepEqual(got.Interims, want.Interims) {
			t.Errorf("stopped at %d: looks %+v, want %+v", stopAt, got.Interims, want.Interims)
		}
		if !slices.Equal(idsOf(got), idsOf(want)) {
			t.Errorf("stopped at %d: %d items, want %d", stopAt, len(got.Records), len(want.Records))
		}
	}
}

func idsOf(j *journaltest.Journal) []string {
	var ids []string
	for _, r := range j.Records {
		ids = append(ids, r.ID+r.Text)
	}
	return slices.Sorted(slices.Values(ids))
}

func TestALookThatWasTakenStandsWhenFailedItemsAreAskedAgain(t *testing.T) {
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{}, ask.Settings{UntilHalfWidth: 0.06})
	run := filepath.Join(t.TempDir(), "run")
	failing := &scripted.Model{Answer: wavering(task.All[0]), Fail: func(r backends.Request) *scripted.Error {
		if r.ID != plan.Items[4].ID && !strings.HasSuffix(r.ID, "7") {
			return nil
		}
		return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
	}}
	if err := answerAll(t, plan, failing, run, nil); err != nil {
		t.Fatal(err)
	}
	before := load(t, run)
	asked := 0
	resume := goOn(t, plan, &scripted.Model{Answer: wavering(task.All[0])}, run, func(*journal.Record) { asked++ })
	after := load(t, run)
	if asked != len(resume.Failed) || asked == 0 || !reflect.DeepEqual(after.Interims, before.Interims) ||
		len(after.Records) != len(before.Records) {
		t.Errorf("asked %d of %d failed items; %d looks then %d; %d items then %d",
			asked, len(resume.Failed), len(before.Interims), len(after.Interims), len(before.Records), len(after.Records))
	}
	if before.Interims[0].Errors == 0 {
		t.Error("the look does not count the errors")
	}
}

func TestStoppingNeedsADraw(t *testing.T) {
	style, err := prompts.LookupStyle(task.All[0].Style)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask.NewPlan(schoolSet(), prompts.Eval{Task: task.All[0], Style: style}, dataset.Selection{Limit: 300, First: true},
		ask.Settings{RuleSet: style.Rules, MaxTokens: 1, UntilHalfWidth: 0.1})
	errortest.Says(t, err, "drawn by chance")
}
