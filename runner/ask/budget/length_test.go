package budget_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/ask/budget"
	"proctor/runner/journal"
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
		{nil, 0, 26},           // 16, 26, 36
		{nil, 20, 19},          // 16, 20, 20
		{[]int{20}, 0, 23},     // 16, 26, 26
		{[]int{5}, 0, 11},      // each
		{[]int{15, 20}, 0, 27}, // 16, 26+6, 26+6
	} {
		if got := budget.EarlierOf(run, test.budgets, test.most); got.Tokens != test.want || got.Source != "as in "+run {
			t.Errorf("%v, at most %d: %+v, want %d", test.budgets, test.most, got, test.want)
		}
	}
	if got := budget.EarlierOf(filepath.Join(t.TempDir(), "none"), nil, 5); got.Length != (budget.Length{}) || len(got.Done) > 0 {
		t.Errorf("no run: %+v", got)
	}
	right := func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} }
	thinking, more := journaltest.Thinking(journaltest.MCQ(3, right))
	budgeted := filepath.Dir(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), thinking, more))
	if got := budget.EarlierOf(budgeted, []int{64}, 500); !strings.HasSuffix(got.Source, ", whose thinking was closed at 32") {
		t.Errorf("%+v", got)
	}
}

// An interrupted run has finished its short answers: with those alone, what is left would look short.
func TestUnfinishedAnswersCountWithWhatTheyHave(t *testing.T) {
	h, records := journaltest.MCQ(12, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
	h.Sampling.MaxTokens = 1000
	for i := range records {
		records[i].Usage.OutputTokens = 100 + i
	}
	run := journaltest.Keep(t, filepath.Join(t.TempDir(), "run"), h, records[:8])
	w, resume, err := journal.OpenAppend(run, h)
	assert.NilError(t, err)
	assert.Check(t, len(resume.Done) == 8, "%d are done", len(resume.Done))
	for _, r := range records[8:] {
		assert.NilError(t, w.AppendPartial(journal.Partial{ID: r.ID, Tokens: make([]int32, 500), Began: time.Unix(1, 0)}))
	}
	assert.NilError(t, w.Close())
	got := budget.EarlierOf(run, nil, 0)
	// Two of three end at about 104 tokens. The third has 500 at least, and 1,000 at most.
	assert.Check(t, got.Tokens >= 250 && got.Tokens <= 400 && got.Low <= 235 && got.High >= 402,
		"%+v: want between about 236 and 402 and more, not the ended ones' mean of 104", got.Length)
	for id, rest := range got.Rest {
		assert.Check(t, rest.Low == 1 && rest.High == 500, "%s lacks %+v, want 1 to 500", id, rest)
	}
	assert.Check(t, len(got.Done) == 8 && len(got.Rest) == 4 && got.Begun[records[8].ID] == 500,
		"%d done, %d unfinished", len(got.Done), len(got.Rest))
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
		got, err := budget.Thinks(t.Context(), &keeper{}, test.dialogue)
		assert.Check(t, err == nil && got == test.want, "%s: %v, %v", name, got, err)
	}
}
