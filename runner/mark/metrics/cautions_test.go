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
