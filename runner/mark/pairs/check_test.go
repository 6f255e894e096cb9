package pairs

import (
	"errors"
	"strings"
	"testing"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/errortest"
)

func TestWhatIsNotComparableIsRefusedByName(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*pairstest.Run)
		want   string
		final  bool
	}{
		"another dataset": {
			func(p *pairstest.Run) { p.Header.Dataset.SHA256 = strings.Repeat("cd", 32) }, "dataset.sha256 (abababab", false,
		},
		"another style":        {func(p *pairstest.Run) { p.Header.Style = "lm-eval@1" }, "style (tiger@1 and lm-eval@1)", false},
		"other shots":          {func(p *pairstest.Run) { p.Header.Shots = 0 }, "shots (5 and 0)", false},
		"that style otherwise": {func(p *pairstest.Run) { p.Header.StyleFile = journal.SourceOf("x") }, "style_file (none and ", false},
		"other rules":          {func(p *pairstest.Run) { p.Header.RuleSet = "evalscope" }, "rule_set (tiger and evalscope)", false},
		"other questions":      {func(p *pairstest.Run) { p.Records = p.Records[:30] }, "ids (30 of 40 shared and 30 of 30)", false},
		"another task": {func(p *pairstest.Run) { p.Header.Task = "mmlu_pro_circular"; p.Header.Pattern = "circular" },
			"task (mmlu_pro and mmlu_pro_circular)", true},
	} {
		a, b := pairstest.MCQ("Q8_0", 40, func(q int) bool { return q%2 == 0 }), pairstest.MCQ("Q4_K_M", 40, func(q int) bool { return q%3 == 0 })
		test.change(&b)
		paths := []string{a.Write(t, "a"), b.Write(t, "b")}
		_, err := Of(paths, Options{})
		var refused *NotComparableError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) || refused.Final != test.final {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
			continue
		}
		c, err := Of(paths, Options{Force: true})
		if test.final {
			if err == nil {
				t.Errorf("%s: compared by force", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, by force: %v", name, err)
			continue
		}
		if got := strings.Join(c.Pairs[0].Warnings, "\n"); !strings.Contains(got, "not the same evaluation") || !strings.Contains(got,
			test.want) {
			t.Errorf("%s, by force: warnings %q", name, got)
		}
	}
}

func TestOneRuleSetForAllSettlesOtherRules(t *testing.T) {
	a, b := pairstest.MCQ("Q8_0", 40, func(int) bool { return true }), pairstest.MCQ("Q4_K_M", 40, func(int) bool { return true })
	b.Header.RuleSet = "evalscope"
	if c := compared(t, Options{RuleSet: "tiger-strict"}, a, b); c.Runs[1].RuleSet != "tiger-strict" {
		t.Errorf("marked by %s", c.Runs[1].RuleSet)
	}
}

func TestSettingsThatOnlyMayMatterAreSaid(t *testing.T) {
	a, b := pairstest.Two()
	b.Header.Backend.Slots, b.Header.Sampling.Temperature, b.Header.Host.CPU = 1, 0.7, "Another"
	a.Header.Backend.Kernels, a.Header.Backend.KernelLevel = "proctor", "amx"
	b.Header.Backend.Kernels, b.Header.Backend.KernelLevel = "ggml", "avx2"
	c := compared(t, Options{}, a, b)
	got := strings.Join(append(c.Pairs[0].Warnings, Conditions(&c.Runs[0], &c.Runs[1])), "\n")
	for _, want := range []string{"backend.slots (several and 1)", "sampling.temperature (0 and 0.7)",
		"backend.kernels (proctor and ggml)",
		"machine (A processor and Another)", "kernel level (amx and avx2)"} {
		if !strings.Contains(got, want) {
			t.Errorf("warnings %q lack %q", got, want)
		}
	}
}

func TestByForceQuestionsThatChangedAreLeftOut(t *testing.T) {
	a, b := pairstest.Two()
	b.Header.Dataset.SHA256 = "another"
	b.Records[0].Gold = "D"
	p := compared(t, Options{Force: true}, a, b).Pairs[0]
	if p.Items != 399 || !strings.Contains(strings.Join(p.Warnings, "\n"), "1 item with other options or another gold letter") {
		t.Errorf("%d items, warnings %q", p.Items, p.Warnings)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	a, b := pairstest.Two()
	failed := pairstest.MCQ("Q4_K_M", 400, func(int) bool { return true })
	for i := range failed.Records {
		failed.Records[i].Finish, failed.Records[i].Cause, failed.Records[i].Error = backends.FinishError, backends.CauseTimeout, "too slow"
	}
	x, y, z := a.Write(t, "x"), b.Write(t, "y"), failed.Write(t, "z")
	for name, test := range map[string]struct {
		runs    []string
		options Options
		want    string
	}{
		"one run":              {[]string{x}, Options{}, "two runs or more"},
		"a run that isn't":     {[]string{x, x + ".not"}, Options{}, ".not"},
		"a margin below 0":     {[]string{x, y}, Options{Margin: -0.01}, "margin of -1pp "},
		"a margin in points":   {[]string{x, y}, Options{Margin: 1}, "margin of 100pp "},
		"a confidence of 95":   {[]string{x, y}, Options{Confidence: 95}, "confidence 95"},
		"a rule set unknown":   {[]string{x, y}, Options{RuleSet: "mine"}, `"mine"`},
		"nothing but failures": {[]string{x, z}, Options{}, "no answered item in common"},
	} {
		_, err := Of(test.runs, test.options)
		errortest.For(t, name, err, test.want)
	}
}
