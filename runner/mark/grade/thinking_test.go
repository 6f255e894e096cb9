package grade_test

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/grade"
)

func TestThinkingIsToldFromTheAnswerInEveryWay(t *testing.T) {
	const harmony = "<|channel|>analysis<|message|>(A)?<|end|><|start|>assistant<|channel|>final<|message|>"
	all := []backends.Thinking{
		{Open: "[THINK]", Close: "[/THINK]"}, {Open: "<|START_THINKING|>", Close: "<|END_THINKING|>"},
		{Open: "<seed:think>", Close: "</seed:think>"},
		{Open: "<|channel|>analysis<|message|>", Close: "<|channel|>final<|message|>"},
		{Open: "<|channel>thought", Close: "<channel|>"},
	}
	for _, c := range []struct {
		name     string
		ways     []backends.Thinking
		text     string
		thinking string
		letter   string
		cause    backends.Cause
	}{
		{"tags", all, "<think>A?</think>The answer is (B).", "<think>A?</think>", "B", ""},
		{"tags that the prompt opened", all, "A?</think>The answer is (B).", "A?</think>", "B", ""},
		{"tags that never close", all, "<think>The answer is (B).", "<think>The answer is (B).", "", backends.CauseThinkUnclosed},
		{"Mistral's", all, "[THINK]The answer is (A)?[/THINK]The answer is (B).", "[THINK]The answer is (A)?[/THINK]", "B", ""},
		{"Mistral's that never close", all, "[THINK]The answer is (B)", "[THINK]The answer is (B)", "", backends.CauseThinkUnclosed},
		{"Cohere's", all, "<|START_THINKING|>A?<|END_THINKING|>The answer is (B).", "<|START_THINKING|>A?<|END_THINKING|>", "B", ""},
		{"Seed's", all, "<seed:think>A?</seed:think>The answer is (B).", "<seed:think>A?</seed:think>", "B", ""},
		{"Gemma's", all, "<|channel>thought\nA?<channel|>The answer is (B).", "<|channel>thought\nA?<channel|>", "B", ""},
		{"Harmony's channels", all, harmony + "The answer is (B).", harmony, "B", ""},
		{"Harmony without thinking", all, "<|channel|>final<|message|>The answer is (B).", "<|channel|>final<|message|>", "B", ""},
		{"Harmony with a commentary between", all, "<|channel|>analysis<|message|>A?<|end|><|start|>assistant" +
			"<|channel|>commentary<|message|>The answer is (C).<|end|><|start|>assistant<|channel|>final<|message|>The answer is (B).",
			"<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>commentary<|message|>" +
				"The answer is (C).<|end|><|start|>assistant<|channel|>final<|message|>", "B", ""},
		{"Harmony that never comes to the answer", all, "<|channel|>analysis<|message|>The answer is (B).",
			"<|channel|>analysis<|message|>The answer is (B).", "", backends.CauseThinkUnclosed},
		{"no thinking", all, "The answer is (B).", "", "B", ""},
		{"tags are known without marks", nil, "<think>A?</think>[THINK]The answer is (A).[/THINK]The answer is (B).",
			"<think>A?</think>", "A", ""},
		{"and others are not", nil, "[THINK]The answer is (B).", "", "B", ""},
	} {
		h := &journal.Header{Strip: true, Thinking: c.ways}
		if got := grade.Thinking(h, c.text); got != c.thinking {
			t.Errorf("%s: the thinking is %q, want %q", c.name, got, c.thinking)
		}
		thinks := c.thinking != "" && c.name != "Harmony without thinking"
		if got := grade.Thinks(h, &journal.Record{Text: c.text, Usage: backends.Usage{ThinkingTokens: len(c.thinking)}}); got != thinks {
			t.Errorf("%s: it thinks: %v", c.name, got)
		}
		rules, err := grade.Lookup("tiger-strict")
		assert.NilError(t, err)
		r := journal.Record{Text: c.text, Options: 4, Gold: "B", Finish: backends.FinishStop}
		if m := rules.Mark(h, &r); m.Letter != c.letter || c.letter == "" && m.Cause != c.cause {
			t.Errorf("%s: letter %q, cause %q; want %q, %q", c.name, m.Letter, m.Cause, c.letter, c.cause)
		}
	}
}

func TestMarksWithNothingBetweenThemAreNoThinking(t *testing.T) {
	h := &journal.Header{Strip: true, Thinking: []backends.Thinking{{Open: "[THINK]", Close: "[/THINK]"}}}
	for text, want := range map[string]bool{
		"<think>\n\n</think>\n\nB": false, "\n</think>B": false, "[THINK] [/THINK]B": false, "<think>": false, "<think>\nA?": true, "A?</think>": true,
	} {
		assert.Check(t, is.Equal(grade.Thinks(h, &journal.Record{Text: text, Usage: backends.Usage{ThinkingTokens: 3}}), want), "%q", text)
	}
	assert.Check(t, grade.Thinks(h, &journal.Record{Text: "B", Usage: backends.Usage{ThinkingTokens: 3}}),
		"thinking that the server counts and does not show is none")
}
