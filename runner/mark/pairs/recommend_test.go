package pairs

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/pairs/pairstest"
	"proctor/scripts/tests/errortest"
)

func TestARecommendationRestsOnEvidence(t *testing.T) {
	of := func(quantization string, questions, upTo, from, to int) pairstest.Run {
		return pairstest.MCQ(quantization, questions, pairstest.Knows(upTo, from, to))
	}
	whole, same := of("F16", 2000, 1500, 0, 0), of("Q8_0", 2000, 1500, 0, 0)
	for name, test := range map[string]struct {
		runs []pairstest.Run
		run  string
		says string
		open []string
	}{
		"the smallest that is not worse": {[]pairstest.Run{whole, same, of("Q4_K_M", 2000, 1500, 10, 12)}, "Q4_K_M",
			"Q4_K_M: not worse than F16 by more than 1.0 pp, 70 % smaller", nil},
		"not a smaller one that is worse": {[]pairstest.Run{whole, same, of("Q4_K_M", 2000, 1500, 0, 100)}, "Q8_0",
			"Q8_0: not worse than F16", []string{"Q4_K_M: worse than F16 by 5.0 pp ("}},
		"nor one that is open": {[]pairstest.Run{whole, same, of("Q4_K_M", 2000, 1500, 0, 18)}, "Q8_0",
			"Q8_0: not worse than F16", []string{"Q4_K_M: worse than F16 by 0.9 pp ("}},
		"nothing is shown": {[]pairstest.Run{of("F16", 60, 50, 0, 0), of("Q4_K_M", 60, 50, 3, 4)}, "",
			"no recommendation: none is shown not to be worse than F16 by more than 1.0 pp",
			[]string{"Q4_K_M: undecided, 9.4 pp worse to 5.1 pp better; about 1,400 fresh questions (another --seed) would " +
				"decide it"}},
		"a model that guesses cannot get worse": {[]pairstest.Run{of("F16", 2000, 500, 0, 0), of("Q4_K_M", 2000, 500, 0, 0)},
			"", "no recommendation: F16 is not shown to be better than guessing", nil},
		"nor do more questions show that it does": {[]pairstest.Run{of("F16", 60, 15, 0, 0), of("Q4_K_M", 60, 15, 3, 4)}, "",
			"no recommendation: F16 is not shown to be better than guessing", nil},
		"a larger one is no gain": {[]pairstest.Run{of("Q4_K_M", 2000, 1500, 0, 0), same}, "Q4_K_M",
			"Q4_K_M: no run that is shown not to be worse", nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := compared(t, Options{}, test.runs...)
			r := c.Recommend(nil)
			if _, questions := c.Undecided(); strings.Contains(r.Sentence, "no loss can be measured") && questions > 0 {
				t.Errorf("%s, and yet %d questions would decide", r.Sentence, questions)
			}
			assert.Assert(t, r.Run == test.run && strings.HasPrefix(r.Sentence, test.says) && len(r.Open) == len(test.open), "%+v", r)
			for i, open := range test.open {
				assert.Check(t, strings.HasPrefix(r.Open[i], open), "%q, want %q…", r.Open[i], open)
			}
		})
	}
}

// TestManyPairsNeedWiderIntervals has one run whose loss is just ruled out alone, and is not among three: by the pair's
// interval as by the recommendation. As many fresh questions would mostly decide it, so no number is advised.
func TestManyPairsNeedWiderIntervals(t *testing.T) {
	first, same := pairstest.MCQ("F16", 1100, pairstest.Knows(800, 0, 0)), pairstest.MCQ("Q8_0", 1100, pairstest.Knows(800, 0, 0))
	lossy := pairstest.MCQ("Q4_K_M", 1100, pairstest.Knows(800, 0, 4))
	alone := compared(t, Options{}, first, lossy)
	assert.Check(t, alone.Recommend(nil).Run == "Q4_K_M" && !strings.Contains(alone.Recommend(nil).RestsOn[0], "Bonferroni"),
		"alone: %+v", alone.Recommend(nil))
	third := pairstest.MCQ("Q8_0", 1100, pairstest.Knows(800, 0, 0))
	third.Header.Model.Quantization, third.Header.Model.SizeBytes = "Q6_K", 90<<20
	several := compared(t, Options{}, first, same, third, lossy)
	r, pair := several.Recommend(nil), several.Pairs[2]
	if r.Run != "Q6_K" || len(r.Open) != 1 || !strings.HasPrefix(r.Open[0], "Q4_K_M: undecided") ||
		r.Questions != 0 || !strings.Contains(r.RestsOn[0], "98.33 % interval") {
		t.Errorf("among three: %+v", r)
	}
	if pair.Decision != Undecided || pair.ShownNotWorse() || pair.ToDecide != r.Questions ||
		math.Abs(pair.CI.Confidence-(1-0.05/3)) > 1e-12 {
		t.Errorf("%s by its own interval of %g, %d questions and %d", pair.Decision, pair.CI.Confidence, pair.ToDecide, r.Questions)
	}
}

func init() { errortest.SpellFlags() }

func TestAdviceSaysHowManyFreshQuestionsDecide(t *testing.T) {
	a, b := pairstest.Two()
	const advice = "about 3,400 fresh questions (another --seed) would decide it at 80 % power, if they are equally good"
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
		assert.Check(t, p.ToDecide == 3400 && p.Advice == advice+test.more, "%s: %d questions, %s", name, p.ToDecide, p.Advice)
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
		assert.Check(t, slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, part) }),
			"no %q in %q", part, c.Warnings)
	}
	if c := compared(t, Options{}, a, a); len(c.Warnings) > 0 {
		t.Errorf("nothing is wrong, and yet %q", c.Warnings)
	}
}

// quick is a run with times, of as many milliseconds an item.
func quick(quantization string, right func(q int) bool, each int) pairstest.Run {
	r := pairstest.MCQ(quantization, 2000, right)
	for i := range r.Records {
		t := &r.Records[i].Timing
		t.Prefill, t.Decode = time.Millisecond, time.Duration(each-1)*time.Millisecond
		t.Total = time.Duration(each) * time.Millisecond
	}
	r.Records = journaltest.InFlight(4, r.Records)
	return r
}

func TestSpeedsThatAreNotComparableMakeNoFrontAndNoRecommendation(t *testing.T) {
	knows := pairstest.Knows(1500, 0, 0)
	runs := func() []pairstest.Run {
		return []pairstest.Run{quick("F16", knows, 100), quick("Q8_0", pairstest.Knows(1498, 0, 0), 50), quick("Q8_0", knows, 20)}
	}
	alike := runs()
	c := compared(t, Options{}, alike...)
	if c.SpeedsApart() != "" || c.Runs[0].Front || !c.Runs[2].Front || c.Recommend(nil).Run != c.Runs[2].Name ||
		!strings.Contains(c.Recommend(nil).Sentence, "× as fast") {
		t.Errorf("%q, %v, %+v", c.SpeedsApart(), c.Runs[2].Front, c.Recommend(nil))
	}
	busy := runs()
	for i := range busy[2].Records {
		busy[2].Records[i].Others = &journal.Others{Share: 0.5, Over: time.Second}
	}
	elsewhere := runs()
	elsewhere[1].Header.History[0].Host.CPU = "another"
	for why, runs := range map[string][]pairstest.Run{
		"other programs slowed down ": busy, "the runs are of different machines": elsewhere,
	} {
		c := compared(t, Options{}, runs...)
		assert.Check(t, strings.HasPrefix(c.SpeedsApart(), why), "%q, want %q", c.SpeedsApart(), why)
		for _, run := range c.Runs {
			assert.Check(t, !run.Front, "%s: %s is on the front", why, run.Name)
		}
		r := c.Recommend(nil)
		if strings.Contains(r.Sentence, "as fast") || r.Run != c.Runs[1].Name || !strings.Contains(strings.Join(r.RestsOn, "\n"), why) {
			t.Errorf("%s: %+v", why, r)
		}
		if want := "Recommended: " + r.Sentence; r.Headline() != want {
			t.Errorf("the headline is %q, not %q", r.Headline(), want)
		}
	}
	got := (&Recommendation{Sentence: "no recommendation: why"}).Headline()
	assert.Check(t, got == "No recommendation: why", "the headline is %q", got)
}
