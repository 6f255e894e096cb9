package metrics

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
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

func TestResumedAnswersAreNamedWhereThatMayChangeThem(t *testing.T) {
	for name, test := range map[string]struct {
		kernels     string
		gpuLayers   int
		temperature float64
		continued   int
		want        string // empty for nothing
	}{
		"proctor's kernels": {"proctor", 0, 0, 3, ""},
		"ggml's":            {"ggml", 0, 0, 3, "1 answer went on after an interruption: with ggml's kernels, texts may differ"},
		"a GPU's":           {"proctor", 7, 0, 3, "1 answer went on after an interruption: with the GPU, texts may differ"},
		"sampled":           {"proctor", 0, 0.7, 3, "1 answer went on after an interruption, with other random numbers"},
		"uninterrupted":     {"ggml", 0, 0.7, 0, ""},
	} {
		h, records := journaltest.MCQ(30, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
		h.Backend.Kernels, h.Backend.GPULayers, h.Sampling.Temperature, records[3].Resumed = test.kernels, test.gpuLayers, test.temperature, test.continued
		var said string
		for _, warning := range mustBuild(t, h, records, Options{}).Warnings {
			said += warning.Text + "\n"
		}
		assert.Check(t, strings.Contains(said, "interruption") == (test.want != "") && strings.Contains(said, test.want),
			"%s: %q, want %q", name, said, test.want)
	}
}

func TestWhatThinkingDoesToTheScoreIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		rules, think string
		strip        bool
		want         string // empty for nothing
	}{
		"rules that read it":          {"tiger", "", false, "of the completions have thinking in them: rule set tiger looks for the answer there, too"},
		"rules that do not":           {"anchored", "", false, ""},
		"a run that leaves it out":    {"tiger", "", true, ""},
		"a run that was to have none": {"tiger", "off", true, "--think off was not heeded: 1 of 30 completions show thinking"},
	} {
		h, records := journaltest.MCQ(30, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
		h.RuleSet, h.Strip, h.Think = test.rules, test.strip, test.think
		records[3].Text = "<think>Or is it?</think>" + records[3].Text
		said := strings.Join(mustBuild(t, h, records, Options{}).About(AboutRun), "\n")
		assert.Check(t, strings.Contains(said, "think") == (test.want != "") && strings.Contains(said, test.want),
			"%s: %q, want %q", name, said, test.want)
	}
}
