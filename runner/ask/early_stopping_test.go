package ask_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/backends/scripted"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/scripts/tests/errortest"
)

// talkative writes on after its answer, and changes its mind; every fifth item gets no announced answer at all.
func talkative(r backends.Request) string {
	letter := func(i int) string { return string(rune('A' + (len(r.Prompt)+i)%10)) }
	if len(r.Prompt)%5 == 0 {
		return " It is hard to say, but " + letter(0) + " seems likely. Or answer is not " + letter(1) + "."
	}
	return fmt.Sprintf(" We weigh the options. The answer is (%s). On second thoughts, the answer is (%s). Answer: %s\n%s",
		letter(0), letter(1), letter(2), strings.Repeat("And so on. ", 20))
}

func TestEndingAtTheAnswerKeepsEveryLetterAndSavesTokens(t *testing.T) {
	for _, rules := range []string{"tiger", "tiger-strict", "lm-eval"} {
		t.Run(rules, func(t *testing.T) {
			run := func(early bool) (*metrics.Summary, []journal.Record) {
				plan := planEnding(t, rules, early)
				folder := filepath.Join(t.TempDir(), "run")
				if err := answerAll(t, plan, &scripted.Model{Slots: 5, Answer: talkative}, folder, nil); err != nil {
					t.Fatal(err)
				}
				r, err := metrics.Open(folder, metrics.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return r, load(t, folder).Records
			}
			whole, texts := run(false)
			early, cut := run(true)
			if whole.Correct != early.Correct || whole.Answered != early.Answered || whole.Items != early.Items {
				t.Errorf("%d right of %d answered of %d; without the flag %d, %d, %d",
					early.Correct, early.Answered, early.Items, whole.Correct, whole.Answered, whole.Items)
			}
			if early.Speed.OutputTokens*2 > whole.Speed.OutputTokens {
				t.Errorf("%d tokens, without the flag %d", early.Speed.OutputTokens, whole.Speed.OutputTokens)
			}
			full := map[string]string{}
			for _, r := range texts {
				full[r.ID] = r.Text
				if r.AtAnswer {
					t.Errorf("%s ended at its answer without the flag", r.ID)
				}
			}
			ended := 0
			for _, r := range cut {
				if !strings.HasPrefix(full[r.ID], r.Text) {
					t.Errorf("%s: %q does not begin %q", r.ID, r.Text, full[r.ID])
				}
				if r.AtAnswer != strings.Contains(full[r.ID], "The answer is (") || !r.AtAnswer && r.Text != full[r.ID] {
					t.Errorf("%s ended at its answer: %v, with %q", r.ID, r.AtAnswer, r.Text)
				}
				if r.AtAnswer {
					ended++
				}
			}
			if s := early.Speed.StopAtAnswer; s == nil || s.Ended != ended || s.RuleSet != rules {
				t.Errorf("the report says %+v, %d ended", s, ended)
			}
		})
	}
}

func planEnding(t *testing.T, rules string, early bool) *ask.Plan {
	t.Helper()
	plan, err := ask.NewPlan(sample(t), evalOf(t, task.All[0], 1), dataset.Selection{Limit: 60},
		ask.Settings{RuleSet: rules, MaxTokens: 500, StopAtAnswer: early})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestARunThatEndsAtTheAnswerIsAnotherRun(t *testing.T) {
	model := &scripted.Model{}
	folder := filepath.Join(t.TempDir(), "run")
	if err := answerAll(t, planEnding(t, "tiger", true), model, folder, nil); err != nil {
		t.Fatal(err)
	}
	_, _, err := journal.OpenAppend(folder, headerOf(t, planEnding(t, "tiger", false), model))
	errortest.Says(t, err, "sampling.stop_at_answer (journal: tiger, now: none)")
}

func TestOnlyRulesThatTakeTheFirstMatchEndAtTheAnswer(t *testing.T) {
	set := sample(t)
	for _, task := range task.All[:2] {
		for _, rules := range []string{"evalscope", "agi-evals", "anchored", "binary"} {
			_, err := ask.NewPlan(set, evalOf(t, task, 0), dataset.Selection{},
				ask.Settings{RuleSet: rules, MaxTokens: 9, StopAtAnswer: true})
			if err == nil || !strings.Contains(err.Error(), "mark with tiger-strict, tiger, lm-eval") {
				t.Errorf("%s marked by %s: error %v", task, rules, err)
			}
		}
	}
	err := planEnding(t, "tiger", true).Converse(prompts.Dialogue{Template: echo{}}, "")
	errortest.For(t, "a conversation", err, "take prompt raw")
}

// echo is a chat template that writes down what is said and nothing else.
type echo struct{}

func (echo) Fold(messages []chat.Message, _ chat.Options) (chat.Rendering, error) {
	text := ""
	for _, m := range messages {
		text += m.Content
	}
	return chat.Rendering{Text: text}, nil
}

func TestThinkingIsCountedWhereTheBackendDoesNot(t *testing.T) {
	plan := planOf(t, task.All[0], dataset.Selection{Limit: 14})
	if err := plan.Converse(prompts.Dialogue{Template: echo{}}, ""); err != nil {
		t.Fatal(err)
	}
	model := &scripted.Model{Answer: func(r backends.Request) string {
		switch r.ID {
		case plan.Items[0].ID:
			return "<think>123456789</think>It is (A)." // 24 bytes of thinking, three a token
		case plan.Items[1].ID:
			return "It is (B).<think>12"
		}
		return "It is (C)."
	}}
	folder := filepath.Join(t.TempDir(), "run")
	if err := answerAll(t, plan, model, folder, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range load(t, folder).Records {
		want := map[string]int{plan.Items[0].ID: 8, plan.Items[1].ID: 3}[r.ID]
		if r.Usage.ThinkingTokens != want {
			t.Errorf("%q: %d tokens of thinking, want %d", r.Text, r.Usage.ThinkingTokens, want)
		}
	}
}
