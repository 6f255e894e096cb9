package runner_test

import (
	"path/filepath"
	"strings"
	"testing"

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
		if r.ID == huge {
			t.Error("it was asked")
		}
		return "the answer is (A)."
	}}, t}
	if err := plan.Measure(model); err != nil {
		t.Fatal(err)
	}
	if work := plan.Workload(); work.PromptTokens == 0 || work.PromptTokens > 1<<20 {
		t.Errorf("the others need %d tokens", work.PromptTokens)
	}
	run := filepath.Join(t.TempDir(), "run")
	seen := 0
	if err := ask(t, plan, model, run, func(*journal.Record) { seen++ }); err != nil {
		t.Fatal(err)
	}
	kept := load(t, run)
	if len(kept.Records) != len(plan.Items) || seen != len(plan.Items) {
		t.Errorf("%d records of %d items, %d seen", len(kept.Records), len(plan.Items), seen)
	}
	for _, r := range kept.Records {
		if r.Failed() != (r.ID == huge) {
			t.Errorf("%s: %s", r.ID, r.Error)
		}
		if r.ID == huge && (r.Cause != backends.CauseTruncated || r.Prompt != "" || !strings.Contains(r.Error, "7.0 MiB")) {
			t.Errorf("%s: cause %q, %d bytes, %s", r.ID, r.Cause, len(r.Prompt), r.Error)
		}
	}
}
