package pairs

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/mark/pairs/pairstest"
	"proctor/runner/mark/stats"
)

func TestVerdicts(t *testing.T) {
	interval := func(low, high float64) stats.Interval {
		return stats.Interval{Low: low, High: high, Confidence: 0.95, Method: "made up"}
	}
	for _, test := range []struct {
		name     string
		pair     Pair
		decision Decision
		want     string
	}{
		{"not worse, and smaller", Pair{Outcome: Outcome{CI: interval(-0.006, 0.004)}, Size: stats.Of(-0.44)}, NotWorse,
			"Q4 is at most 1.0 pp worse than Q8 (95 %), in accuracy; 44 % smaller"},
		{"undecided", Pair{Outcome: Outcome{CI: interval(-0.012, 0.012)}}, Undecided,
			"undecided whether Q4 is at most 1.0 pp worse than Q8: Q4 could be 1.2 pp worse to 1.2 pp better (95 %), in accuracy"},
		{"worse", Pair{Outcome: Outcome{Difference: stats.Of(-0.03), CI: interval(-0.05, -0.011)}}, Worse,
			"Q4 is worse than Q8 by 3.0 pp (95 % interval 1.1–5.0 pp), by more than the margin of 1.0 pp, in accuracy"},
		{"worse, perhaps by little", Pair{Outcome: Outcome{Difference: stats.Of(-0.02), CI: interval(-0.03, -0.01)}}, Undecided,
			"Q4 is worse than Q8 by 2.0 pp (95 % interval 1.0–3.0 pp), undecided whether within the margin of 1.0 pp, in accuracy"},
		{"all were asked", Pair{Outcome: Outcome{CI: interval(-0.006, 0.004)}, Questions: 168, ranOut: true}, NotWorse,
			"Q4 is at most 1.0 pp worse than Q8 on these 168 questions, all that were planned (95 %), in accuracy"},
		{"worse by little", Pair{Outcome: Outcome{Difference: stats.Of(-0.005), CI: interval(-0.008, -0.002)}}, NotWorse,
			"Q4 is worse than Q8 by 0.5 pp (95 % interval 0.2–0.8 pp), within the margin of 1.0 pp, in accuracy"},
		{"better", Pair{Outcome: Outcome{Difference: stats.Of(0.02), CI: interval(0.01, 0.03)}, Size: stats.Of(0.5)}, Better,
			"Q4 is better than Q8 by 2.0 pp (95 % interval 1.0–3.0 pp), in accuracy; 50 % larger"},
		{"nothing known", Pair{}, Undecided, "undecided whether Q4 differs from Q8 in accuracy: 0 questions are too few to compare, " +
			"0 right in Q8 alone and 0 in Q4 alone"},
	} {
		o, p := Options{Confidence: 0.95, Margin: 0.01}, test.pair
		p.A, p.B, p.RightToWrong, p.Measure = "Q8", "Q4", 1, "accuracy"
		if p.Decision = p.decide(o); p.Decision != test.decision {
			t.Errorf("%s: %s, want %s", test.name, p.Decision, test.decision)
		}
		got := p.sentence(o)
		assert.Check(t, got == test.want, "%s:\n got %s\nwant %s", test.name, got, test.want)
	}
}

func TestTheSameMarksAreTooFewOrEnough(t *testing.T) {
	know := func(q int) bool { return q%2 > 0 }
	few := compared(t, Options{}, pairstest.MCQ("Q8_0", 280, know), pairstest.MCQ("Q8_0", 280, know)).Pairs[0]
	if few.Decision != Identical || few.ShownNotWorse() || few.ShownWorse() ||
		!strings.HasSuffix(few.Verdict, "have the same mark on all 280 questions; too few to rule out a loss of 1.0 pp, in accuracy") {
		t.Errorf("%s: %s", few.Decision, few.Verdict)
	}
	assert.Check(t, few.ToDecide == 420 && few.Advice == "about 420 fresh questions (another --seed) would decide it, if they agree on all of them",
		"%d questions decide: %s", few.ToDecide, few.Advice)
	many := compared(t, Options{}, pairstest.MCQ("Q8_0", 420, know), pairstest.MCQ("Q8_0", 420, know)).Pairs[0]
	if many.Decision != Identical || !many.ShownNotWorse() || many.Advice != "" ||
		!strings.HasSuffix(many.Verdict, "have the same mark on all 420 questions; that rules out a loss of 1.0 pp, in accuracy") {
		t.Errorf("%s: %s, %s", many.Decision, many.Verdict, many.Advice)
	}
}

func TestRunsWithoutAnyAnswerHaveNoVerdict(t *testing.T) {
	silent := func() pairstest.Run {
		run := pairstest.MCQ("Q8_0", 30, func(int) bool { return true })
		for i := range run.Records {
			run.Records[i].Text = "i can't say"
		}
		return run
	}
	c := compared(t, Options{}, silent(), silent())
	p := &c.Pairs[0]
	if c.Decision != "" || p.NonInferior != nil || p.Advice != "" || !strings.HasPrefix(c.Verdict, "no verdict: not a valid score: ") ||
		p.ShownWorse() || p.ShownNotWorse() {
		t.Errorf("%q: %s; %+v", c.Decision, c.Verdict, p)
	}
	if c := compared(t, Options{}, silent(), silent(), silent()); c.Verdict != "no verdict: fewer than two runs have a valid score" {
		t.Errorf("of three: %s", c.Verdict)
	}
	// One side's silence is no result either.
	know := func(int) bool { return true }
	c = compared(t, Options{}, pairstest.MCQ("Q8_0", 30, know), silent())
	if c.Decision != "" || !strings.Contains(c.Invalid(), ": 30 of 30 completions have no answer; ") {
		t.Errorf("%q: %s", c.Decision, c.Verdict)
	}
	c = compared(t, Options{}, pairstest.MCQ("Q8_0", 30, know), silent(), pairstest.MCQ("Q4_K_M", 30, know))
	if slices.Contains(c.Tied, c.Runs[1].Name) || len(c.Tied) != 2 || c.Recommend(nil).Run == c.Runs[1].Name ||
		!strings.HasSuffix(c.Recommend(nil).Open[0], ": no verdict, not a valid score") || c.Runs[1].Front {
		t.Errorf("tied %q; %+v", c.Tied, c.Recommend(nil))
	}
}
