package report

import (
	"math"
	"testing"

	"proctor/runner/journal"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/html"
)

func went() *metrics.Sequential {
	return &metrics.Sequential{
		Against: &journal.UntilDecided{Run: "q8", Margin: 0.01, Alpha: 0.05},
		History: []journal.Interim{
			{Number: 1, Questions: 100, Evidence: &journal.Evidence{NotWorse: 0.001, Worse: 4}},
			{Number: 2, Questions: 120, Evidence: &journal.Evidence{NotWorse: 0.1, Worse: 1e9}},
		},
	}
}

func TestTheEvidenceIsDrawnByQuestions(t *testing.T) {
	drawings := evidenceDrawings(went())
	if len(drawings) != 1 {
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
	if evidenceDrawings(nil) != nil || evidenceDrawings(&metrics.Sequential{Against: &journal.UntilDecided{}}) != nil {
		t.Error("drawn of runs that have no such evidence")
	}
}
