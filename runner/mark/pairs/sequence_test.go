package pairs

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/runner/journal"
	"proctor/runner/mark/pairs/pairstest"
)

// held returns the runs of F16 and of Q4_K_M, which was compared with F16 at a margin of one point until last; turned swaps them.
func held(t *testing.T, last journal.Interim, fingerprint string, turned bool) []Run {
	t.Helper()
	runs := compared(t, Options{}, pairstest.MCQ("F16", 60, pairstest.Knows(50, 0, 0)), pairstest.MCQ("Q4_K_M", 60, pairstest.Knows(50, 0, 9))).Runs
	if fingerprint == "" {
		fingerprint = runs[0].Marked.Header.DigestSettings()
	}
	runs[1].Marked.Header.Selection.UntilDecided = &journal.UntilDecided{Run: "F16", Fingerprint: fingerprint, Margin: 0.01, Alpha: 0.05}
	runs[1].Marked.Interims = []journal.Interim{last}
	if turned {
		runs[0], runs[1] = runs[1], runs[0]
	}
	return runs
}

// TestARunThatStopsByItselfIsJudgedByItsSequence has an interval that says "worse" throughout, and is not valid where a run stopped
// because of what it said.
func TestARunThatStopsByItselfIsJudgedByItsSequence(t *testing.T) {
	stopped := func(d Decision) journal.Interim {
		return journal.Interim{Decision: string(d), After: 42, Confidence: 0.95, Stop: journal.StopDecided}
	}
	for name, test := range map[string]struct {
		last        journal.Interim
		margin      float64
		turned      bool
		fingerprint string
		decision    Decision
		says        string
	}{
		"not worse": {stopped(NotWorse), 0.01, false, "", NotWorse,
			"Q4_K_M is at most 1.0 pp worse than F16: decided after 42 questions, as Q4_K_M ran"},
		"better": {stopped(Better), 0.01, false, "", Better, "Q4_K_M is better than F16: decided after 42 questions"},
		"worse":  {stopped(Worse), 0.01, false, "", Worse, "Q4_K_M is more than 1.0 pp worse than F16: decided after 42 questions"},

		"not worse by less": {stopped(NotWorse), 0.005, false, "", Undecided,
			"undecided whether Q4_K_M is at most 0.5 pp worse than F16: Q4_K_M stopped"},
		"not worse by more": {stopped(NotWorse), 0.02, false, "", NotWorse, "Q4_K_M is at most 2.0 pp worse than F16"},
		"worse by less":     {stopped(Worse), 0.005, false, "", Worse, "Q4_K_M is more than 0.5 pp worse than F16"},
		"worse by more":     {stopped(Worse), 0.02, false, "", Undecided, "undecided whether"},
		"better by any":     {stopped(Better), 0.02, false, "", Better, "Q4_K_M is better"},
		"turned: worse":     {stopped(Worse), 0.02, true, "", Better, "F16 is better than Q4_K_M: decided after 42 questions, as Q4_K_M ran"},
		"turned: not worse": {stopped(NotWorse), 0.02, true, "", Undecided,
			"undecided whether F16 is at most 2.0 pp worse than Q4_K_M: Q4_K_M stopped once"},
		"turned: better": {stopped(Better), 0.02, true, "", Undecided, "undecided whether F16"},
		"another reference": {stopped(NotWorse), 0.01, false, "other", Undecided,
			"undecided whether Q4_K_M is at most 1.0 pp worse than F16: Q4_K_M was compared with a third run"},
		"not finished": {journal.Interim{}, 0.01, false, "", Undecided,
			"undecided whether Q4_K_M is at most 1.0 pp worse than F16: Q4_K_M is not finished"},
		"all asked": {journal.Interim{Stop: journal.StopExhausted}, 0.01, false, "", Worse,
			"Q4_K_M is worse than F16 by 15.0 pp on these 60 questions, all that were planned"},
		"all asked, turned": {journal.Interim{Stop: journal.StopExhausted}, 0.01, true, "", Better,
			"F16 is better than Q4_K_M by 15.0 pp on these 60 questions"},
		"all asked and judged": {journal.Interim{Stop: journal.StopExhausted, Decision: "not_worse", After: 60}, 0.01, false, "", Worse,
			"Q4_K_M is worse than F16 by 15.0 pp on these 60"},
	} {
		c, err := comparison(held(t, test.last, test.fingerprint, test.turned), Options{Margin: test.margin, Confidence: 0.95})
		assert.NilError(t, err)
		p := c.Pairs[0]
		assert.Check(t, p.Decision == test.decision && strings.HasPrefix(c.Verdict, test.says), "%s: %s, %s", name, p.Decision, c.Verdict)
		assert.Check(t, p.ShownWorse() == (test.decision == Worse) && p.ShownNotWorse() == test.decision.NonInferior(), "%s: %s", name, p.AtMost())
		if recommended := c.Recommend(nil).Run == p.B; recommended && !test.decision.NonInferior() {
			t.Errorf("%s: %+v", name, c.Recommend(nil))
		}
	}
}

// TestErrorsOfStoppedRunsAreSharedOutOrTold has two runs that were each compared with the first until decided.
func TestErrorsOfStoppedRunsAreSharedOutOrTold(t *testing.T) {
	for alpha, want := range map[float64]string{
		0.05: "2 runs stopped once they were decided, each wrongly at most 5.00 % of the time, which is not shared out: one of them is wrong " +
			"up to 10.00 % of the time",
		0.025: "2 runs stopped once they were decided, each wrongly at most 2.50 % of the time: together at most 5.00 % (Bonferroni)",
	} {
		runs := held(t, journal.Interim{Decision: "worse", After: 42, Stop: journal.StopDecided}, "", false)
		runs = append(runs, runs[1])
		runs[2].Name = "Q4_K_S"
		runs[1].Marked.Header.Selection.UntilDecided.Alpha = alpha
		c, err := comparison(runs, Options{Margin: 0.01, Confidence: 0.95})
		assert.NilError(t, err)
		text, shared := c.Together()
		assert.Check(t, text == want && shared == (alpha < 0.05) && (strings.Join(c.Warnings, "") == want) != shared, "%s: %q", text, c.Warnings)
		assert.Check(t, len(c.Tied) == 1 && c.Tied[0] == "F16", "tied: %v", c.Tied)
	}
}
