package evidence

import (
	"math"
	"strings"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/stats/adaptive"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

func went() *metrics.Sequential {
	return &metrics.Sequential{
		Against: &journal.UntilDecided{Run: "q8", Margin: 0.01, Alpha: 0.05}, Confidence: 0.95, Explained: stats.Of(0.25),
		History: []metrics.Interim{
			{Number: 1, Questions: 100, Value: stats.Of(-0.02), Interval: &[2]float64{-0.2, 0.1},
				Evidence: &journal.Evidence{NotWorse: 0.001, Worse: 4}},
			{Number: 2, Questions: 120, Value: stats.Of(-0.04), Interval: &[2]float64{-0.09, -0.01},
				Evidence: &journal.Evidence{NotWorse: 0.1, Worse: 1e9}},
		},
		Calibration: []adaptive.Calibrated{{Questions: 60, Right: true, Known: 30, Flips: 9, Expected: stats.Of(8.25)},
			{Questions: 500, Known: 90, Expected: stats.Of(1.5)}},
	}
}

func TestTheEvidenceIsDrawnByQuestions(t *testing.T) {
	drawings := Drawings(went())
	if len(drawings) != 2 {
		t.Fatalf("%d drawings", len(drawings))
	}
	e := drawings[0].(html.Plot)
	if p := e.Curves[0].Points; len(p) != 2 || p[0].X != 100 || p[0].Y != -2 || math.Abs(p[1].Y+1) > 1e-9 {
		t.Errorf("not worse: %+v", p)
	}
	if p := e.Curves[1].Points; math.Abs(p[0].Y-math.Log10(4)) > 1e-12 || p[1].Y != 4 {
		t.Errorf("worse: %+v", p)
	}
	if p := e.Curves[3].Points; math.Abs(p[0].Y-math.Log10(40)) > 1e-12 {
		t.Errorf("the bar of worse: %+v", p)
	}
	if p := drawings[1].(html.Plot).Curves[0].Points; p[1].Y != -0.04 || p[1].Interval.Low != -0.09 || p[1].Interval.High != -0.01 {
		t.Errorf("difference: %+v", p)
	}
	merged := went()
	merged.History[0].Shard = 1
	plain := went()
	plain.History[0].Interval, plain.History[1].Interval = nil, nil
	if Drawings(nil) != nil || Drawings(&metrics.Sequential{Target: 0.02}) != nil || Drawings(merged) != nil || len(Drawings(plain)) != 1 {
		t.Error("drawn of runs that have no such evidence")
	}
}

func TestTheTableOfExpectedFlips(t *testing.T) {
	p := page.Page{Title: "x"}
	p.Add(Section(went()))
	var out strings.Builder
	if err := p.Text(&out); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"1 right 60 30 8.25 9", "2 wrong 500 90 1.5 0", "explains 25.00 % of the deviance"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if s := Section(&metrics.Sequential{}); s.Table != nil {
		t.Errorf("%+v", s)
	}
}
