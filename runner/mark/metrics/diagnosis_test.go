package metrics

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
)

func TestFrequentFailuresAreDiagnosed(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(q int) journaltest.Answer
		want []string // warnings hold these, one each
	}{
		"right and wrong answers": {func(int) journaltest.Answer { return journaltest.Answer{Letter: "A"} }, nil},
		"2 % without an answer":   {everyOf(50, journaltest.Answer{}), nil},
		"more than that": {everyOf(30, journaltest.Answer{}),
			[]string{"no answer found (NO_ANSWER) on 4 items (4.00 %), such as mmlu_pro/100, mmlu_pro/160, mmlu_pro/190: "}},
		"with a cause": {everyOf(30, journaltest.Answer{Capped: true}),
			[]string{"the token cap of 2,048 ended 4.00 %",
				"no answer found (NO_ANSWER) on 4 items (4.00 %), such as "}},
		"2 % cut after an answer": {everyOf(50, journaltest.Answer{Letter: "A", Capped: true}), nil},
		"more cut": {everyOf(40, journaltest.Answer{Letter: "A", Capped: true}),
			[]string{"the token cap of 2,048 ended 3.00 %"}},
		"one error": {everyOf(100, journaltest.Answer{Failed: backends.CauseTimeout}),
			[]string{"out of time (TIMEOUT) on 1 item (1.00 %), such as mmlu_pro/100: no completion within --timeout; raise --timeout"}},
		"one prompt too long": {everyOf(100, journaltest.Answer{Failed: backends.CauseTruncated}),
			[]string{"too long for the context (CTX_TRUNCATED) on 1 item (1.00 %), such as mmlu_pro/100: "}},
		"an error of an unknown cause": {everyOf(100, journaltest.Answer{Failed: "BOREDOM"}),
			[]string{"model or its server failed (ADAPTER_ERROR) on 1 item (1.00 %), 1 of them BOREDOM, such as mmlu_pro/100: "}},
	} {
		h, records := journaltest.MCQ(100, func(q, _ int, _ string) journaltest.Answer { return c.say(q) })
		got := mustBuild(t, h, records, Options{}).About(AboutFailures)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i, want := range c.want {
			assert.Check(t, strings.HasPrefix(got[i], want), "%s: %q, want %q", name, got[i], want)
		}
	}
}

// everyOf gives one question in n an answer, the others a letter.
func everyOf(n int, a journaltest.Answer) func(q int) journaltest.Answer {
	return func(q int) journaltest.Answer {
		if q%n == 0 {
			return a
		}
		return journaltest.Answer{Letter: "A"}
	}
}

// Answers that went on after an interruption, and thinking in completions, are named where they may change the score.
func TestWhatMayChangeTheScoreIsSaid(t *testing.T) {
	resumed := func(kernels string, gpuLayers int, temperature float64, continued int) func(*journal.Header,
		*journal.Record) {
		return func(h *journal.Header, r *journal.Record) {
			h.Backend.Kernels, h.Backend.GPULayers, h.Sampling.Temperature, r.Resumed = kernels, gpuLayers, temperature,
				continued
		}
	}
	thinks := func(rules, think string, strip bool) func(*journal.Header, *journal.Record) {
		return func(h *journal.Header, r *journal.Record) {
			h.RuleSet, h.Think, h.Strip, r.Text = rules, think, strip, "<think>Or is it?</think>"+r.Text
		}
	}
	for name, test := range map[string]struct {
		change func(*journal.Header, *journal.Record)
		want   string // empty for nothing
	}{
		"proctor's kernels": {resumed("proctor", 0, 0, 3), ""},
		"ggml's": {resumed("ggml", 0, 0, 3),
			"1 answer went on after an interruption: with ggml's kernels, texts may differ"},
		"a GPU's": {resumed("proctor", 7, 0, 3),
			"1 answer went on after an interruption: with the GPU, texts may differ"},
		"sampled": {resumed("proctor", 0, 0.7, 3),
			"1 answer went on after an interruption, with other random numbers"},
		"uninterrupted": {resumed("ggml", 0, 0.7, 0), ""},

		"rules that read thinking": {thinks("tiger", "", false),
			"of the completions have thinking in them: rule set tiger looks for the answer there, too"},
		"rules that do not":        {thinks("anchored", "", false), ""},
		"a run that leaves it out": {thinks("tiger", "", true), ""},
		"a run that was to have none": {thinks("tiger", "off", true),
			"--think off was not heeded: 1 of 30 completions show thinking"},
	} {
		h, records := journaltest.MCQ(30, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
		test.change(&h, &records[3])
		var said string
		for _, warning := range mustBuild(t, h, records, Options{}).Warnings {
			said += warning.Text + "\n"
		}
		about := strings.Contains(said, "interruption") || strings.Contains(said, "think")
		assert.Check(t, about == (test.want != "") &&
			strings.Contains(said, test.want), "%s: %q, want %q", name, said, test.want)
	}
}
