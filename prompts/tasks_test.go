package prompts_test

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/scripts/tests/errortest"
)

// TestStylesOfTasksAskAsTheirTaskDoes compares prompts that were compared with the published tasks' own, byte for byte.
func TestStylesOfTasksAskAsTheirTaskDoes(t *testing.T) {
	set := open(t, "sample")
	names := []string{"mmlu-prox-de@1", "mmlu-prox-en@1", "mmlu-prox-ur@1"}
	for _, style := range prompts.Published {
		names = append(names, style.Name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			style := lookup(t, name)
			shots := 2
			if !style.ShowsShots() {
				shots = 0
			}
			items := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: style, Shots: shots})
			golden.Assert(t, items[0].Prompt(), strings.ReplaceAll(name, "@", "-")+".txt")
		})
	}
	var digests strings.Builder
	for _, language := range prompts.ProxLanguages() {
		style := lookup(t, "mmlu-prox-"+language)
		for _, digest := range prompts.Digests(style, itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: style, Shots: 5})) {
			fmt.Fprintln(&digests, digest)
		}
	}
	golden.Assert(t, digests.String(), "mmlu-prox-digests.txt")
}

func TestABuiltInStyleIsFoundByItsNameAndNoOtherHasIt(t *testing.T) {
	for name, want := range map[string]string{"opencompass": "opencompass@1", "mmlu-prox-de": "mmlu-prox-de@1", "lm-eval": "lm-eval@1"} {
		style := lookup(t, name)
		assert.Check(t, style.Name == want && style.BuiltIn, "%s: %s", name, style.Name)
		same, err := prompts.ParseStyle("a.style", style.Text)
		assert.Check(t, err == nil && same.BuiltIn, "%s read back: %v", name, err)
		_, err = prompts.ParseStyle("a.style", "# changed\n"+style.Text)
		errortest.Says(t, err, "a.style:2: "+want+" is built in and reads otherwise: give this one a name of its own, as in my-"+want)
	}
	_, err := prompts.LookupStyle("mmlu-prox-xx")
	assert.ErrorContains(t, err, "mmlu-prox-LANGUAGE (af, ar, bn, cs, de, ")
}

func TestShotsOfTheSetAreTheSameForAllSubjects(t *testing.T) {
	set := open(t, "sample")
	items := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "leaderboard-direct"), Shots: 5})
	for _, item := range items {
		assert.Assert(t, item.Preamble == items[0].Preamble && len(item.Turns.Shots) == 5, "%s has other shots", item.ID)
		assert.Assert(t, strings.Contains(item.Turns.Shots[0].Ask, set.Validation[0].Text), item.ID)
	}
}

func TestConclude(t *testing.T) {
	set := setOf(question(1, 3, "B"))
	set.Validation = []dataset.Question{question(2, 3, "B")}
	for cot, want := range map[string]string{
		"A: Let's think step by step. So. The answer is (B).": " So. The best answer is B.\n\n",
		"So. The answer is B. The answer is (B)":              " So. The answer is B. The answer is (B)\n\n",
	} {
		set.Validation[0].CoT = cot
		items := itemsOf(t, set, prompts.Eval{Task: task.All[0], Style: lookup(t, "lm-eval-llama"), Shots: 1})
		assert.Equal(t, items[0].Turns.Shots[0].Answer, want)
	}
}
