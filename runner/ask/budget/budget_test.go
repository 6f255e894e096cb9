package budget_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/runner/ask/budget"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/scripts/tests/errortest"
)

// keeper is a model that keeps budgets, but for one.
type keeper struct{ scripted.Model }

var errThirteen = errors.New("thirteen is none")

func (*keeper) CheckBudget(b backends.Budget) error {
	if b.Most() == 13 {
		return errThirteen
	}
	return nil
}

func TestABudgetIsFoundOrRefused(t *testing.T) {
	thinks := budget.Dialogue{Prompt: "?", Marks: &backends.Tags, Context: 40960}
	with := func(change func(*budget.Dialogue)) budget.Dialogue {
		changed := thinks
		change(&changed)
		return changed
	}
	nine := budget.Choice{Tokens: []int{9}}
	for name, test := range map[string]struct {
		choice   budget.Choice
		model    backends.Model
		dialogue budget.Dialogue
		want     []int  // nil: none
		err      string // empty: none
	}{
		"the default": {budget.Choice{}, &keeper{}, thinks, []int{8192}, ""},
		"of a short context": {budget.Choice{}, &keeper{}, with(func(d *budget.Dialogue) { d.Context = 4096 }), []int{2048},
			""},
		"none for a cap": {budget.Choice{Free: true}, &keeper{}, thinks, nil, ""},
		"none when off":  {budget.Choice{}, &keeper{}, with(func(d *budget.Dialogue) { d.Off = true }), nil, ""},
		"none for raw":   {budget.Choice{}, &keeper{}, with(func(d *budget.Dialogue) { d.Prompt = "" }), nil, ""},
		"none elsewhere": {budget.Choice{}, &scripted.Model{}, thinks, nil, ""},
		"none where closed": {budget.Choice{}, &keeper{},
			with(func(d *budget.Dialogue) { d.Prompt = "?<think>\n\n</think>\n\n" }), nil, ""},
		"chosen":        {budget.Choice{Tokens: []int{0, 9}}, &keeper{}, thinks, []int{0, 9}, ""},
		"without marks": {nine, &keeper{}, budget.Dialogue{Prompt: "?"}, nil, "give them with think marks OPEN,CLOSE"},
		"raw":           {nine, &keeper{}, with(func(d *budget.Dialogue) { d.Prompt = "" }), nil, "give prompt chat"},
		"off":           {nine, &keeper{}, with(func(d *budget.Dialogue) { d.Off = true }), nil, "think off leaves out"},
		"closed": {nine, &keeper{}, with(func(d *budget.Dialogue) { d.Prompt = "?<think></think>" }), nil,
			"give think on"},
		"another backend":  {nine, &scripted.Model{}, thinks, nil, "this backend can't end thinking"},
		"the backend's no": {budget.Choice{Tokens: []int{13}}, &keeper{}, thinks, nil, "thirteen is none"},
	} {
		b, err := test.choice.Of(test.model, test.dialogue)
		if test.err != "" {
			errortest.For(t, name, err, test.err)
			continue
		}
		assert.Check(t, err, name)
		assert.Check(t, (b == nil) == (test.want == nil) && (b == nil || slices.Equal(b.Tokens, test.want)), "%s: %+v", name, b)
	}
}

func TestPeopleAreToldWhenThinkingEnds(t *testing.T) {
	b := &backends.Budget{Tokens: []int{512, 2048, 8192}, Way: backends.Tags}
	want := "thinking is closed after 512, 2,048 and 8,192 tokens (</think>), an answer after 100 tokens"
	assert.Check(t, is.Equal(budget.Line(b, 100, true), want))
}

func right(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} }

func TestCompletionsAreAsLongAsTheBudgetOrAnEarlierRunSays(t *testing.T) {
	full := budget.Expected([]int{512, 2048}, 256, false)
	assert.Check(t, full.Tokens == 2048+2*256 && strings.Contains(full.Source, "budget of 2,048"), "%+v", full)
	h, records := journaltest.MCQ(4, right)
	for i, n := range []int{10, 20, 30, 0} {
		records[i].Usage.ThinkingTokens, records[i].Usage.OutputTokens = n, n+6
	}
	records[3].Error, records[3].Cause, records[3].Text, records[3].Usage = "gone", backends.CauseTimeout, "", backends.Usage{} // says nothing
	run := filepath.Dir(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), h, records))
	for _, test := range []struct {
		budgets    []int
		most, want int
	}{
		{nil, 0, 26},           // 16, 26, 36
		{nil, 20, 19},          // 16, 20, 20
		{[]int{20}, 0, 23},     // 16, 26, 26
		{[]int{5}, 0, 11},      // each
		{[]int{15, 20}, 0, 27}, // 16, 26+6, 26+6
	} {
		got := budget.EarlierOf(run, test.budgets, test.most)
		assert.Check(t, got.Tokens == test.want && got.Source == "as in "+run, "%+v: %+v", test, got)
	}
	got := budget.EarlierOf(filepath.Join(t.TempDir(), "none"), nil, 5)
	assert.Check(t, got.Length == (budget.Length{}) && len(got.Done) == 0, "no run: %+v", got)
	thinking, more := journaltest.Thinking(journaltest.MCQ(3, right))
	budgeted := filepath.Dir(journaltest.Keep(t, filepath.Join(t.TempDir(), "journal.jsonl"), thinking, more))
	got = budget.EarlierOf(budgeted, []int{64}, 500)
	assert.Check(t, strings.HasSuffix(got.Source, ", whose thinking was closed at 32"), "%+v", got)
}

// An interrupted run has finished its short answers: with those alone, what is left would look short.
func TestUnfinishedAnswersCountWithWhatTheyHave(t *testing.T) {
	h, records := journaltest.MCQ(12, right)
	h.Sampling.MaxTokens = 1000
	for i := range records {
		records[i].Usage.OutputTokens = 100 + i
	}
	run := journaltest.Keep(t, filepath.Join(t.TempDir(), "run"), h, records[:8])
	w, resume, err := journaltest.Resume(run, h)
	assert.NilError(t, err)
	assert.Check(t, len(resume.Done) == 8, "%d are done", len(resume.Done))
	for _, r := range records[8:] {
		assert.NilError(t, w.AppendPartial(journal.Partial{ID: r.ID, Tokens: make([]int32, 500), Began: time.Unix(1, 0)}))
	}
	assert.NilError(t, w.Close())
	got := budget.EarlierOf(run, nil, 0)
	// Two of three end at about 104 tokens. The third has 500 at least, and 1,000 at most.
	assert.Check(t, got.Tokens >= 250 && got.Tokens <= 400 && got.Low <= 235 && got.High >= 402, "%+v", got.Length)
	for id, rest := range got.Rest {
		assert.Check(t, rest.Low == 1 && rest.High == 500, "%s lacks %+v, want 1 to 500", id, rest)
	}
	assert.Check(t, len(got.Done) == 8 && len(got.Rest) == 4 && got.Started[records[8].ID] == 500,
		"%d done, %d unfinished", len(got.Done), len(got.Rest))
}

func TestAModelThinksWhereItsPromptDoes(t *testing.T) {
	const opened, closed = "Which? <think>\n", "Which? <think>\n\n</think>\n\n"
	for name, test := range map[string]struct {
		dialogue budget.Dialogue
		thinks   bool
		mark     string // that closes thinking
	}{
		"it opens thinking":          {budget.Dialogue{Prompt: opened, Marks: &backends.Tags}, true, ""},
		"it closes it, too":          {budget.Dialogue{Prompt: closed, Marks: &backends.Tags}, false, "</think>"},
		"raw":                        {budget.Dialogue{Marks: &backends.Tags}, false, ""},
		"thinking is off":            {budget.Dialogue{Prompt: opened, Marks: &backends.Tags, Off: true}, false, ""},
		"it is off and closed":       {budget.Dialogue{Prompt: closed, Marks: &backends.Tags, Off: true}, false, ""},
		"it never heard of thinking": {budget.Dialogue{Prompt: "Which?"}, false, ""},
	} {
		assert.Check(t, is.Equal(test.dialogue.Thinks(), test.thinks), name)
		assert.Check(t, is.Equal(budget.ClosingMark(test.dialogue), test.mark), name)
	}
}
