package html

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

func of(low, high float64) stats.Interval {
	return stats.Interval{Low: low, High: high, Method: "wilson", Confidence: 0.95}
}

// examples are a file of every kind of drawing.
func examples() []File {
	share := Around(0.3, 0.6, func(x float64) string { return Plain(100*x) + " %" })
	scatter := Scatter{
		Caption: "accuracy against questions a minute", X: Counts(100, Plain), Y: share, XLabel: "questions/min",
		YLabel: "accuracy", Frontier: true, Levels: []Held{{Value: stats.Of(0.35), Label: "margin"}},
		Marks: []Mark{
			{Name: "F16", X: 20, Y: 0.5, YInterval: of(0.45, 0.55), Size: 1, Full: true, Shaded: true},
			{Name: "Q4_K_M", X: 80, Y: 0.45, YInterval: of(0.4, 0.5), XInterval: of(70, 90), Size: 0.3, Full: true},
			{Name: "Q2_K", X: 60, Y: 0.35, Size: 0.2},
		},
		Legend: []Sign{{Kind: OnFront, Text: "on the front"}, {Kind: Beaten, Text: "behind it"},
			{Kind: Shaded, Text: strings.Repeat("not shown to be below the best ", 2)}},
	}
	forest := Strips{Caption: "by subject", Head: []string{"subject", "accuracy"}, Axis: Shares(0.6), Rows: []Strip{
		{Name: "law", Value: stats.Of(0.4), Interval: of(0.3, 0.5), Baseline: stats.Of(0.1), Cells: []string{"40.00 %"}}, {Name: "math"},
		{Name: "all", Value: stats.Of(0.45), Interval: of(0.42, 0.48), Baseline: stats.Of(0.11), Strong: true, Cells: []string{"45.00 %"}},
	}}
	letters := Strips{Caption: "letters", Head: []string{"letter", "picked"}, Axis: Shares(0.3), Bars: true,
		Legend: []Sign{{Kind: Bar, Text: "picked"}, {Kind: Against, Text: "gold"}},
		Rows:   []Strip{{Name: "A", Value: stats.Of(0.2), Baseline: stats.Of(0.25)}, {Name: "B", Value: stats.Of(0.1)}}}
	points := Plot{Caption: "pass@k", X: Counts(4, Plain), Y: Shares(1), XLabel: "k", YLabel: "share of questions",
		Curves: []Curve{
			{Name: "pass@k", Points: []Point{{X: 1, Y: 0.4, Interval: of(0.3, 0.5)}, {X: 2, Y: 0.6, Interval: of(0.5, 0.7)}}},
			{Name: "guessing", Dashed: true, Points: []Point{{X: 1, Y: 0.1}, {X: 2, Y: 0.2}}},
		}}
	times := Plot{Caption: "slots", X: Counts(10, Plain), Y: Counts(4, Plain), XLabel: "seconds", YLabel: "items",
		Curves: []Curve{{Steps: true, Points: []Point{{X: 0, Y: 4}, {X: 5, Y: 2}, {X: 10, Y: 2}}}},
		Bars:   []Column{{From: 0, To: 1, Height: 3}, {From: 1, To: 2, Height: 1}}}
	return Files([]page.Section{
		{Title: "Runs", Drawings: []page.Drawing{scatter}},
		{Title: "Subjects", Drawings: []page.Drawing{Listing{Head: []string{"no drawing"}}, forest, letters}},
		{Title: "Curves", Drawings: []page.Drawing{Beside{points, times}}},
	})
}

func TestADrawingsFileStandsAlone(t *testing.T) {
	for _, f := range examples() {
		var out bytes.Buffer
		if err := f.Write(&out); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "var(") {
			t.Errorf("%s has a style that only the page has", f.Name)
		}
		golden.Assert(t, out.String(), f.Name)
	}
}

func TestTextsOfOthersAreTextInAFile(t *testing.T) {
	var out bytes.Buffer
	file := File{"x", Strips{Caption: hostile, Head: []string{"", hostile}, Axis: Shares(1), Rows: []Strip{{Name: hostile}}}}
	if err := file.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, live := range []string{"<script", "<img", "\x1b", "\u202e"} {
		if strings.Contains(out.String(), live) {
			t.Errorf("%q is alive in the file", live)
		}
	}
	for decoder := xml.NewDecoder(&out); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("no XML: %v", err)
		}
	}
}
