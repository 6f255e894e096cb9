package ask_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
)

func TestEveryItemIsAskedSeveralTimesWithSeedsOfTheirOwn(t *testing.T) {
	const times = 3
	settings := ask.Settings{Repeats: times, Sampling: backends.Sampling{Temperature: 0.8, TopP: 1, Seed: 4_000_000_000}}
	for _, task := range task.Generating() {
		t.Run(task.Name, func(t *testing.T) {
			selection := dataset.Selection{PerSubject: 2}
			once := planWith(t, schoolSet(), task, selection, ask.Settings{})
			plan := planWith(t, schoolSet(), task, selection, settings)
			assert.Assert(t, len(plan.Items) == times*len(once.Items),
				"%d items, want %d times %d", len(plan.Items), times, len(once.Items))
			seeds := map[string]map[uint32]bool{} // of each prompt
			var order []string
			model := &scripted.Model{Answer: func(r backends.Request) string {
				if seeds[r.Prompt] == nil {
					seeds[r.Prompt] = map[uint32]bool{}
				}
				seeds[r.Prompt][r.Sampling.Seed] = true
				first := !strings.Contains(r.ID, "#")
				assert.Check(t, first == (r.Sampling.Seed == 4_000_000_000), "%s is drawn with seed %d", r.ID, r.Sampling.Seed)
				order = append(order, r.ID)
				return scripted.Letter(r)
			}}
			run := asksAll(t, plan, model, nil)
			for prompt, drawn := range seeds {
				assert.Check(t, len(drawn) == times, "%q has %d seeds", prompt, len(drawn))
			}
			kept := load(t, run)
			assert.Check(t, kept.Header.Repeats == times && kept.Header.Selection.Items == len(plan.Items) &&
				kept.Header.Selection.Questions == 10, "header: %d repeats, %+v", kept.Header.Repeats, kept.Header.Selection)
			subjects, side := 0, 0
			for i, r := range kept.Records {
				assert.Check(t, r.ID == journal.RepeatID(strings.SplitN(r.ID, "#", 2)[0], max(1, r.Repeat)),
					"%s has repeat %d", r.ID, r.Repeat)
				if i > 0 && r.Subject != kept.Records[i-1].Subject {
					subjects++
				}
				if i > 0 && r.Prompt == kept.Records[i-1].Prompt {
					side++
				}
			}
			if subjects != 4 { // five subjects in all: each one's preamble is read once
				t.Errorf("the subject changes %d times on the way", subjects)
			}
			want := (times - 1) * len(once.Items)
			assert.Check(t, side == want, "%d repeats come right behind each other, want %d", side, want)
			assert.Check(t, kept.Records[0].Repeat == 0 && len(order) == len(plan.Items),
				"first record %+v, %d requests", kept.Records[0], len(order))
		})
	}
}

func TestGreedyRepeatsAreApart(t *testing.T) {
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{PerSubject: 6}, ask.Settings{Repeats: 3})
	subjects := 0
	for i := 1; i < len(plan.Items); i++ {
		if plan.Items[i].Subject != plan.Items[i-1].Subject {
			subjects++
		}
		assert.Check(t, plan.Items[i].Prompt() != plan.Items[i-1].Prompt(),
			"%s comes right behind %s", plan.Items[i].ID, plan.Items[i-1].ID)
	}
	assert.Check(t, subjects == 4, "the subject changes %d times on the way", subjects)
}
