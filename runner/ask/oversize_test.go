package ask_test

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/journal"
)

// short is a tokenizer that fails on what should not be tokenised.
type short struct {
	*scripted.Model
	t *testing.T
}

func (s short) Tokenize(prompt string) ([]int32, error) {
	if len(prompt) > 1<<20 {
		s.t.Errorf("%d bytes were tokenised", len(prompt))
	}
	return s.Model.Tokenize(prompt)
}

func TestAHugeQuestionIsOneItemsFailure(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	huge := plan.Items[3].ID
	plan.Items[3].Text = strings.Repeat("Which? ", 1<<20)
	model := short{&scripted.Model{Slots: 3, Answer: func(r backends.Request) string {
		assert.Check(t, r.ID != huge, "it was asked")
		return "the answer is (A)."
	}}, t}
	assert.NilError(t, plan.Measure(model))
	if work := plan.Workload(); work.PromptTokens == 0 || work.PromptTokens > 1<<20 {
		t.Errorf("the others need %d tokens", work.PromptTokens)
	}
	seen := 0
	run := asksAll(t, plan, model, func(*journal.Record) { seen++ })
	kept := load(t, run)
	assert.Check(t, len(kept.Records) == len(plan.Items) && seen == len(plan.Items),
		"%d records of %d items, %d seen", len(kept.Records), len(plan.Items), seen)
	for _, r := range kept.Records {
		assert.Check(t, r.Failed() == (r.ID == huge), "%s: %s", r.ID, r.Error)
		if r.ID == huge && (r.Cause != backends.CauseOversize || r.Again() || r.Prompt != "" || !strings.Contains(r.Error, "7.0 MiB")) {
			t.Errorf("%s: cause %q, %d bytes, %s", r.ID, r.Cause, len(r.Prompt), r.Error)
		}
	}
}

// TestWhatTheJournalCannotKeepIsOneItemsFailure has one item's options, and another's error, make lines that no reader takes.
func TestWhatTheJournalCannotKeepIsOneItemsFailure(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	wordy, failing := plan.Items[3].ID, plan.Items[5].ID
	control := strings.Repeat("\x01", 12_000_000) // six bytes each in JSON
	plan.Items[3].OptionTexts = slices.Clone(plan.Items[3].OptionTexts)
	plan.Items[3].OptionTexts[0] = control
	model := &scripted.Model{Fail: func(r backends.Request) *scripted.Error {
		if r.ID == failing {
			return &scripted.Error{Cause: backends.CauseTimeout, Text: "late" + control}
		}
		return nil
	}}
	run := asksAll(t, plan, model, nil)
	kept := load(t, run)
	for _, r := range kept.Records {
		want, cause := "", backends.Cause("")
		switch r.ID {
		case wordy:
			want, cause = "the line of "+r.ID+" would have 68 MiB", backends.CauseOversize
		case failing:
			want, cause = "late\x01", backends.CauseTimeout
		}
		assert.Check(t, r.Failed() == (want != "") && (!r.Failed() || r.Cause == cause) && strings.HasPrefix(r.Error, want) &&
			len(r.Error) <= 1000, "%s: cause %q, %.100q", r.ID, r.Cause, r.Error)
	}
	report := summary(t, run)
	c := report.Completeness
	assert.Check(t, len(kept.Records) == 14 && !c.Complete && c.Errors == 2 && c.Oversize == 1 && c.Lacks() == 1 &&
		report.FailureCounts["HARNESS_ERROR"] == 1, "%d records, %+v, %v", len(kept.Records), c, report.FailureCounts)
}
