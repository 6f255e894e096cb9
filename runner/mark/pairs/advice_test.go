package pairs

import (
	"slices"
	"strings"
	"testing"

	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/errortest"
)

func init() { errortest.SpellFlags() }

func TestAdviceSaysHowManyFreshQuestionsDecide(t *testing.T) {
	a, b := pairstest.Two()
	const advice = "about 3,400 fresh questions would decide it, enough (80 % power) if they are equally good"
	for name, test := range map[string]struct {
		rows int
		more string
	}{
		"a set with enough":           {12032, ""},
		"a set that is just enough":   {3740, ""},
		"a set with too few":          {3700, "; that is more than this set has"},
		"a set that was asked whole":  {400, "; that is more than this set has"},
		"a set of which nothing says": {0, ""},
	} {
		a.Header.Dataset.Rows, b.Header.Dataset.Rows = test.rows, test.rows
		a.Header.Selection.Limit, b.Header.Selection.Limit = 400, 400
		p := compared(t, Options{}, a, b).Pairs[0]
		if p.ToDecide != 3400 || p.Advice != advice+test.more {
			t.Errorf("%s: %d questions, %s", name, p.ToDecide, p.Advice)
		}
	}
	better := pairstest.MCQ("Q4_K_M", 400, func(q int) bool { return q < 330 })
	if p := compared(t, Options{}, a, better).Pairs[0]; p.Decision != Better || p.Advice != "" || p.ToDecide != 0 {
		t.Errorf("decided, and yet %s", p.Advice)
	}
}

func TestComparisonsWarnAsReportsDo(t *testing.T) {
	a, b := pairstest.Two()
	b.Header.Selection.Items += 10
	for i := range 20 {
		b.Records[i].Text = "i can't say"
	}
	for i := range 30 {
		b.Records[380-i].Finish = "length"
	}
	a.Header.Sampling.MaxTokens, b.Header.Sampling.MaxTokens = 64, 64
	c := compared(t, Options{Force: true, RuleSet: "agi-evals"}, a, b)
	for _, part := range []string{
		"Q4_K_M: incomplete: 400 of 410 items have a completion, 10 not asked yet",
		"Q4_K_M: the token cap of 64 ended 7.50 % of the completions",
		"Q4_K_M: no answer found (NO_ANSWER) on 20 items (5.00 %)",
		`all runs: rule set agi-evals looks for a line "Answer: X", but the prompts of style tiger@1 asked for "the answer is (X)"`,
	} {
		if !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, part) }) {
			t.Errorf("no %q in %q", part, c.Warnings)
		}
	}
	if c := compared(t, Options{}, a, a); len(c.Warnings) > 0 {
		t.Errorf("nothing is wrong, and yet %q", c.Warnings)
	}
}
