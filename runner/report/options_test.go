package report

import (
	"strings"
	"testing"

	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

func optionFigures(of string, tpr float64) metrics.OptionFigures {
	ci := stats.Interval{Low: tpr - 0.1, High: tpr + 0.1, Confidence: 0.95, Method: "wilson"}
	return metrics.OptionFigures{Of: of, Items: 40, Gold: 10, Called: 8, TPR: stats.Of(tpr), TPRCI: ci, TNR: stats.Of(0.9), TNRCI: ci,
		Balanced: stats.Of((tpr + 0.9) / 2), CI: ci}
}

func byOption() *metrics.ByOption {
	return &metrics.ByOption{Kinds: []metrics.OptionFigures{optionFigures("number", 0.25), optionFigures("none_of_the_above", 0.5)},
		Letters: []metrics.OptionFigures{optionFigures("A", 0.75), {Of: "B", Items: 3, TNR: stats.Of(1)}}, Unknown: 2}
}

func TestTheTableByOption(t *testing.T) {
	p := page.Page{Title: "x"}
	p.Add(optionSection(byOption(), 0.95))
	var out strings.Builder
	if err := p.Text(&out); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"kind number 40 10 57.50 % 15.00–35.00 % 25.00 % 15.00–35.00 % 90.00 %", "kind none of the above 40 10 70.00 %",
		"letter A 40 10 82.50 %", "letter B 3 0 n/a n/a n/a n/a 100.00 % too few 0.00 %", "2 items without kind",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if s := optionSection(nil, 0.95); s.Table != nil || len(s.Notes) > 0 {
		t.Errorf("%+v", s)
	}
}

func TestADrawingForEachQualityOfAnOption(t *testing.T) {
	part := optionSection(byOption(), 0.95)
	if len(part.Drawings) != 2 {
		t.Fatalf("%d drawings", len(part.Drawings))
	}
	kinds := part.Drawings[0].(html.Strips)
	if len(kinds.Rows) != 2 || kinds.Rows[1].Name != "none of the above" || kinds.Rows[0].Baseline != stats.Of(0.5) {
		t.Errorf("%+v", kinds)
	}
	if empty := optionSection(nil, 0.95); empty.Says() || len(empty.Drawings) > 0 {
		t.Errorf("%+v", empty)
	}
}
