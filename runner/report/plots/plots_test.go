package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

func of(low, high float64) stats.Interval {
	return stats.Interval{Low: low, High: high, Method: "wilson", Confidence: 0.95}
}

// examples are a figure of every kind.
func examples() []Figure {
	share := html.Around(0.3, 0.6, func(x float64) string { return html.Plain(100*x) + " %" })
	scatter := html.Scatter{
		Caption: "accuracy against questions a minute", X: html.Counts(100, html.Plain), Y: share, XLabel: "questions/min",
		YLabel: "accuracy", Frontier: true, Levels: []html.Held{{Value: stats.Of(0.35), Label: "margin"}},
		Marks: []html.Mark{
			{Name: "F16", X: 20, Y: 0.5, YInterval: of(0.45, 0.55), Size: 1, Full: true, Shaded: true},
			{Name: "Q4_K_M", X: 80, Y: 0.45, YInterval: of(0.4, 0.5), XInterval: of(70, 90), Size: 0.3, Full: true},
			{Name: "Q2_K", X: 60, Y: 0.35, Size: 0.2},
		},
		Legend: []html.Sign{{Kind: html.OnFront, Text: "on the front"}, {Kind: html.Beaten, Text: "behind it"},
			{Kind: html.Shaded, Text: strings.Repeat("not shown to be below the best ", 5)}},
	}
	forest := html.Strips{Caption: "by subject", Head: []string{"subject", "accuracy"}, Axis: html.Shares(0.6), Rows: []html.Strip{
		{Name: "law", Value: stats.Of(0.4), Interval: of(0.3, 0.5), Baseline: stats.Of(0.1)}, {Name: "math"},
		{Name: "all", Value: stats.Of(0.45), Interval: of(0.42, 0.48), Baseline: stats.Of(0.11), Strong: true},
	}}
	letters := html.Strips{Caption: "letters", Head: []string{"letter", "picked"}, Axis: html.Shares(0.3), Bars: true,
		Legend: []html.Sign{{Kind: html.Bar, Text: "picked"}, {Kind: html.Against, Text: "gold"}},
		Rows:   []html.Strip{{Name: "A", Value: stats.Of(0.2), Baseline: stats.Of(0.25)}, {Name: "B", Value: stats.Of(0.1)}}}
	scale := html.Strips{Caption: "accuracy", Axis: html.Shares(0.6), Head: []string{""}, Legend: []html.Sign{{Kind: html.Estimate, Text: "estimate"},
		{Kind: html.Interval, Text: "interval"}, {Kind: html.Against, Text: "baseline"}}, Rows: []html.Strip{
		{Name: "45.00 %", Value: stats.Of(0.45), Interval: of(0.42, 0.48)}, {Name: "guessing", Baseline: stats.Of(0.11)}}}
	points := html.Plot{Caption: "pass@k", X: html.Counts(4, html.Plain), Y: html.Shares(1), XLabel: "k", YLabel: "share of questions",
		Curves: []html.Curve{
			{Name: "pass@k", Points: []html.Point{{X: 1, Y: 0.4, Interval: of(0.3, 0.5)}, {X: 2, Y: 0.6, Interval: of(0.5, 0.7)}}},
			{Name: "guessing", Dashed: true, Points: []html.Point{{X: 1, Y: 0.1}, {X: 2, Y: 0.2}}},
		}}
	times := html.Plot{Caption: "slots", X: html.Counts(10, html.Plain), Y: html.Counts(4, html.Plain), XLabel: "seconds", YLabel: "items",
		Curves: []html.Curve{{Steps: true, Points: []html.Point{{X: 0, Y: 4}, {X: 5, Y: 2}, {X: 10, Y: 2}}}},
		Bars:   []html.Column{{From: 0, To: 1, Height: 3}, {From: 1, To: 2, Height: 1}}}
	return Of([]page.Section{
		{Title: "Runs", Drawings: []page.Drawing{scatter}},
		{Title: "Subjects", Drawings: []page.Drawing{html.Listing{Head: []string{"no figure"}}, forest, letters}},
		{Title: "Result", Drawings: []page.Drawing{scale}}, {Title: "Curves", Drawings: []page.Drawing{html.Beside{points, times}}},
	})
}

func TestFiguresAreTheSameBytes(t *testing.T) {
	files := Files(examples())
	if len(files) != 12 {
		t.Fatalf("%d files", len(files))
	}
	for _, f := range files {
		var out, again bytes.Buffer
		if err := errors.Join(f.Write(&out), f.Write(&again)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Errorf("%s differs from itself", f.Name)
		}
		if dir := os.Getenv("SCREENSHOTS"); dir != "" { // a folder, for people to look at
			if err := os.WriteFile(filepath.Join(dir, f.Name), out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if filepath.Ext(f.Name) == ".svg" {
			golden.Assert(t, out.String(), f.Name)
			continue
		}
		picture, err := png.Decode(&out)
		if err != nil || picture.Bounds().Dx() < 1200 {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

func TestTextsOfOthersAreTextInAFigure(t *testing.T) {
	hostile := "</text><script>alert(1)</script> \x1b[31m \u202e & \" 模型"
	var out bytes.Buffer
	figure := Figure{"x", html.Strips{Caption: hostile, Head: []string{"", hostile}, Axis: html.Shares(1),
		Rows: []html.Strip{{Name: hostile}}}}
	if err := figure.SVG(&out); err != nil {
		t.Fatal(err)
	}
	for _, live := range []string{"<script", "\x1b", "\u202e"} {
		if strings.Contains(out.String(), live) {
			t.Errorf("%q is alive in the figure", live)
		}
	}
	for decoder := xml.NewDecoder(&out); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("no XML: %v", err)
		}
	}
	if err := figure.PNG(io.Discard); err != nil {
		t.Error(err)
	}
}
