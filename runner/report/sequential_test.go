package report

import (
	"bytes"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/journal/journaltest"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/results"
)

// stoppedRun is a run that was to stop at ± 15 pp and did so at its third look.
func stoppedRun(t *testing.T, interims ...journal.Interim) *metrics.Summary {
	t.Helper()
	h, records := journaltest.MCQ(45, func(q, _ int, gold string) journaltest.Answer {
		if q%3 == 0 {
			return journaltest.Answer{Letter: "A"}
		}
		return journaltest.Answer{Letter: gold}
	})
	h.Selection.Limit, h.Selection.Items, h.Selection.Questions, h.Selection.UntilHalfWidth = 0, 90, 90, 0.15
	h.Selection.Population, h.Selection.PopulationOptions = map[string]int{"biology": 30, "law": 30, "math": 30}, 600
	run, err := results.Read(&h, journaltest.Stream(records), "")
	if err != nil {
		t.Fatal(err)
	}
	run.Interims = interims
	r, err := metrics.Of(run, metrics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func interim(number, questions int, value, width float64, stop journal.Stop) journal.Interim {
	return journal.Interim{
		Kind: journal.KindInterim, Number: number, Questions: questions, Items: questions, RuleSet: "tiger", Headline: "accuracy",
		Value: &value, HalfWidth: &width, Confidence: 0.95, Stop: stop,
	}
}

func TestGoldenReportOfARunThatStoppedByItself(t *testing.T) {
	r := stoppedRun(t, interim(1, 20, 0.7, 0.19, ""), interim(2, 32, 0.69, 0.155, ""), interim(3, 45, 0.7111, 0.1287, journal.StopNarrow))
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
		{"narrow enough", []journal.Interim{interim(1, 20, 0.7, 0.19, ""), interim(2, 45, 0.7, 0.13, journal.StopNarrow)}, true, 0,
			[]string{"after 2 interim looks", "holds wherever the run stops", "betting sequence"}},
		{"all asked", []journal.Interim{interim(1, 45, 0.7, 0.19, journal.StopAsked)}, true, 0,
			[]string{"all asked", "no question is left"}},
		{"not yet", []journal.Interim{interim(1, 20, 0.7, 0.19, "")}, false, 45, []string{"not yet", "--resume", "up to 90 items"}},
		{"no look yet", nil, false, 45, []string{"not yet", "--resume"}},
	} {
		r := stoppedRun(t, test.interims...)
		if r.Completeness.Complete != test.complete || r.Completeness.Missing != test.missing {
			t.Errorf("%s: %+v", test.name, r.Completeness)
		}
		var out bytes.Buffer
		if err := fullPage(r).Text(&out); err != nil {
			t.Fatal(err)
		}
		for _, words := range test.says {
			if !strings.Contains(out.String(), words) {
				t.Errorf("%s: the report does not say %q:\n%s", test.name, words, out.String())
			}
		}
	}
}
