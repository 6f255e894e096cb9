package metrics

import (
	"strings"
	"testing"

	"proctor/runner/journal/journaltest"
)

func TestAnswersThatWentOnAreNamedWhereThatMayChangeThem(t *testing.T) {
	for name, test := range map[string]struct {
		kernels     string
		temperature float64
		begun       int
		want        string // empty for nothing
	}{
		"proctor's kernels": {"proctor", 0, 3, ""},
		"ggml's":            {"ggml", 0, 3, "1 answer went on after an interruption: with ggml's kernels, texts may differ"},
		"sampled":           {"proctor", 0.7, 3, "1 answer went on after an interruption, with other random numbers"},
		"uninterrupted":     {"ggml", 0.7, 0, ""},
	} {
		h, records := journaltest.MCQ(30, func(_, _ int, gold string) journaltest.Answer { return journaltest.Answer{Letter: gold} })
		h.Backend.Kernels, h.Sampling.Temperature, records[3].Begun = test.kernels, test.temperature, test.begun
		var said string
		for _, warning := range mustBuild(t, h, records, Options{}).Warnings {
			said += warning.Text + "\n"
		}
		if strings.Contains(said, "interruption") != (test.want != "") || !strings.Contains(said, test.want) {
			t.Errorf("%s: %q, want %q", name, said, test.want)
		}
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
		if strings.Contains(said, "think") != (test.want != "") || !strings.Contains(said, test.want) {
			t.Errorf("%s: %q, want %q", name, said, test.want)
		}
	}
}
