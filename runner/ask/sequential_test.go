package ask_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/ask/stopping"
	"proctor/runner/journal"
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

func TestALookThatWasTakenStandsWhenFailedItemsAreAskedAgain(t *testing.T) {
	against := asked(t, dataset.Selection{}, wavering(task.All[0]))
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{}, ask.Settings{UntilDecided: stopping.Until{Run: against, Margin: 0.3}})
	failing := &scripted.Model{Answer: wavering(task.All[0]), Fail: func(r backends.Request) *scripted.Error {
		if r.ID != plan.Items[4].ID && !strings.HasSuffix(r.ID, "7") {
			return nil
		}
		return &scripted.Error{Cause: backends.CauseTimeout, Text: "too slow"}
	}}
	run := asksAll(t, plan, failing, nil)
	before := load(t, run)
	again := 0
	resume := goOn(t, plan, &scripted.Model{Answer: wavering(task.All[0])}, run, func(*journal.Record) { again++ })
	after := load(t, run)
	if again != len(resume.Failed) || again == 0 || !reflect.DeepEqual(after.Interims, before.Interims) ||
		len(after.Records) != len(before.Records) {
		t.Errorf("asked %d of %d failed items; %d looks then %d; %d items then %d",
			again, len(resume.Failed), len(before.Interims), len(after.Interims), len(before.Records), len(after.Records))
	}
	assert.Check(t, before.Interims[0].Errors != 0, "the look does not count the errors")
}
