package ask_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
)

func TestTheCostIsThatOfThePrompts(t *testing.T) {
	set := sample(t)
	chars := func(text string) (int, error) { return utf8.RuneCountInString(text), nil }
	for _, task := range task.Generating() {
		for _, times := range []int{1, 3} {
			eval := evalOf(t, task, 5)
			plan, err := ask.NewPlan(set, eval, dataset.Selection{Limit: 30},
				ask.Settings{RuleSet: eval.Style.Rules, MaxTokens: 64, Repeats: times})
			assert.NilError(t, err)
			want, read := ask.Cost{Questions: 30, Items: len(plan.Items)}, map[string]bool{}
			for _, item := range plan.Items {
				want.PromptTokens += item.Chars()
				want.SharedTokens += utf8.RuneCountInString(item.Text)
				if !read[item.Preamble] {
					read[item.Preamble] = true
					want.Subjects++
					want.Preambles += utf8.RuneCountInString(item.Preamble)
				}
			}
			want.SharedTokens += want.Preambles
			got, err := plan.Cost(chars)
			assert.Check(t, err == nil && got == want, "%s, %d times: %+v, want %+v (%v)", task, times, got, want, err)
		}
	}
}

func TestCountsAndEstimates(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 0, "ab": 1, "seven c": 2, "ééééééé": 2} {
		if got, err := ask.Estimate(text); got != want || err != nil {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
	model := &scripted.Model{} // a token for the beginning, then one for every three bytes
	if got, err := ask.Counting(model)("seven chars"); got != 5 || err != nil {
		t.Errorf("%d tokens, want 5 (%v)", got, err)
	}
	broken := errors.New("no vocabulary")
	plan := planWith(t, schoolSet(), task.All[0], dataset.Selection{Limit: 5}, ask.Settings{})
	if _, err := plan.Cost(func(string) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
