package report

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
)

// stoppedRun is a run that stops once its comparison with another is decided.
func stoppedRun(t *testing.T, interims ...journal.Interim) *metrics.Summary {
	t.Helper()
	h, records := journaltest.MCQ(45, func(q, _ int, gold string) journaltest.Answer {
		if q%3 == 0 {
			return journaltest.Answer{Letter: "A"}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Selection.Limit, h.Selection.Items, h.Selection.Questions = 0, 90, 90
	h.Selection.UntilDecided = &journal.UntilDecided{Run: "runs/q8", Fingerprint: "f", Margin: 0.02, Alpha: 0.05}
	run, err := results.Open(journaltest.Keep(t, t.TempDir(), h, records), "")
	assert.NilError(t, err)
	run.Interims = interims
	r, err := metrics.Of(run, metrics.Options{})
	assert.NilError(t, err)
	return r
}

func interim(number, questions, errors int, notWorse float64, decision string, stop journal.Stop) journal.Interim {
	value := 0.01
	look := journal.Interim{
		Kind: journal.KindInterim, Number: number, Questions: questions, Errors: errors, RuleSet: "tiger",
		Value: &value, Confidence: 0.95, Stop: stop, Decision: decision,
		Evidence: &journal.Evidence{NotWorse: notWorse, Worse: 0.4, Better: 1.5},
	}
	if decision != "" {
		look.After = questions - 3
	}
	return look
}

// judged is the last interim analysis of a run that asked all its questions.
func judged(look journal.Interim, low, high float64) journal.Interim {
	look.Low, look.High = &low, &high
	return look
}

func TestGoldenReportOfARunThatStoppedByItself(t *testing.T) {
	r := stoppedRun(t, interim(1, 20, 0, 3.5, "", ""), interim(2, 32, 0, 11, "", ""), interim(3, 45, 0, 23, "not_worse", journal.StopDecided))
	for _, format := range printed {
		assertGolden(t, format, r, "sequential"+format.Ext)
	}
	for _, format := range Full[:2] {
		assertGolden(t, format, r, "sequential.full"+format.Ext)
	}
}

func TestAReportSaysHowARunStopped(t *testing.T) {
	for _, test := range []struct {
		name     string
		interims []journal.Interim
		complete bool
		missing  int
		says     []string
	}{
		{"decided", []journal.Interim{interim(1, 20, 0, 3, "", ""), interim(2, 45, 0, 2e6, "not_worse", journal.StopDecided)}, true, 0,
			[]string{"not worse by the margin or more", "after 42 questions", "> 1,000,000", "Waudby-Smith and Ramdas"}},
		{"decided whatever failed", []journal.Interim{interim(1, 45, 2, 30, "worse", journal.StopDecided)}, true, 0,
			[]string{"worse", "it holds whatever the 2 questions that failed would have been"}},
		{"all asked", []journal.Interim{interim(1, 45, 0, 3, "", journal.StopExhausted)}, true, 0, []string{"no             all 45 questions asked"}},
		{"all asked, and judged", []journal.Interim{judged(interim(1, 45, 0, 3, "not_worse", journal.StopExhausted), -0.015, 0.04)}, true, 0,
			[]string{"not worse by the margin or more",
				"all 45 questions asked, on which it is not worse by the margin or more (95 % interval -1.50 pp … +4.00 pp)"}},
		{"all asked, and open", []journal.Interim{judged(interim(1, 45, 0, 3, "", journal.StopExhausted), -0.03, 0.05)}, true, 0,
			[]string{"all 45 questions asked, on which it is undecided (95 % interval -3.00 pp … +5.00 pp)"}},
		{"all asked, and some failed", []journal.Interim{interim(1, 45, 1, 3, "", journal.StopExhausted)}, true, 0,
			[]string{"run it again with --resume"}},
		{"not yet", []journal.Interim{interim(1, 20, 0, 3, "", "")}, false, 45, []string{"not yet", "--resume", "up to 90 items"}},
		{"no look yet", nil, false, 45, []string{"not yet", "--resume"}},
	} {
		r := stoppedRun(t, test.interims...)
		assert.Check(t, r.Completeness.Complete == test.complete && r.Completeness.Missing == test.missing,
			"%s: %+v", test.name, r.Completeness)
		for _, words := range test.says {
			assert.Check(t, is.Contains(textOf(t, fullPage(r)), words), test.name)
		}
	}
}
