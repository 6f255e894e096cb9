package budget_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/ask/budget"
	"proctor/runner/journal/journaltest"
)

func TestCompletionsAreAsLongAsTheBudgetOrAnEarlierRunSays(t *testing.T) {
	if got := budget.Full([]int{512, 2048}, 256); got.Tokens != 2048+2*256 || !strings.Contains(got.Source, "budget of 2,048") {
		t.Errorf("%+v", got)
	}
	h, records := journaltest.MCQ(4, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	for i, n := range []int{10, 20, 30, 0} {
		records[i].Usage.ThinkingTokens, records[i].Usage.OutputTokens = n, n+6
	}
	records[3].Error, records[3].Cause, records[3].Text, records[3].Usage = "gone", backends.CauseTimeout, "", backends.Usage{} // says nothing
	run := filepath.Dir(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records))
	for _, test := range []struct {
		budgets []int
		most    int
		want    int
	}{
		{nil, math.MaxInt, 26},           // 16, 26, 36
		{nil, 20, 19},                    // 16, 20, 20
		{[]int{20}, math.MaxInt, 23},     // 16, 26, 26
		{[]int{5}, math.MaxInt, 11},      // each
		{[]int{15, 20}, math.MaxInt, 27}, // 16, 26+6, 26+6
	} {
		if got := budget.Earlier(run, test.budgets, test.most); got.Tokens != test.want || got.Source != "as in "+run {
			t.Errorf("%v, at most %d: %+v, want %d", test.budgets, test.most, got, test.want)
		}
	}
	if got := budget.Earlier(filepath.Join(t.TempDir(), "none"), nil, 5); got != (budget.Length{}) {
		t.Errorf("no run: %+v", got)
	}
	right := func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} }
	thinking, more := journaltest.Thinking(journaltest.MCQ(3, right))
	budgeted := filepath.Dir(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), thinking, more))
	if got := budget.Earlier(budgeted, []int{64}, 500); !strings.HasSuffix(got.Source, ", whose thinking was closed at 32") {
		t.Errorf("%+v", got)
	}
}

func TestAModelThinksWhereItsTemplateDoes(t *testing.T) {
	for name, test := range map[string]struct {
		dialogue budget.Dialogue
		want     bool
	}{
		"its template opens thinking": {budget.Dialogue{Prompt: "Which? <think>\n"}, true},
		"it closes it, too":           {budget.Dialogue{Prompt: "Which? <think>\n</think>\n"}, false},
		"raw":                         {budget.Dialogue{Template: "<think>"}, false},
		"thinking is off":             {budget.Dialogue{Prompt: "Which? <think>\n", Off: true}, false},
		"it never heard of thinking":  {budget.Dialogue{Prompt: "Which?"}, false},
	} {
		if got, err := budget.Thinks(t.Context(), &keeper{}, test.dialogue); err != nil || got != test.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
