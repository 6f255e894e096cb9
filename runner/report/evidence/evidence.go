// Package evidence lays out how a run until decided went: its evidence by questions asked, as a drawing, and what its predictions of
// flips were worth, as a table.
package evidence

import (
	"fmt"
	"math"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// highest bounds what is drawn: beyond any level nobody needs to know more.
const highest = 1e4

// Drawings are the e-values and, of a draw in strata, the confidence sequence, by questions asked. None of a run that was not held
// against another, of merged shards, which look apart, and of one that has not looked yet.
func Drawings(s *metrics.Sequential) []html.Drawing {
	if s == nil || s.Against == nil || len(s.History) == 0 {
		return nil
	}
	notWorse, worse := html.Curve{Name: "not worse"}, html.Curve{Name: "worse"}
	difference := html.Curve{Name: "difference"}
	low, high := math.Inf(1), math.Inf(-1)
	for _, look := range s.History {
		if look.Shard > 0 || look.Evidence == nil {
			return nil
		}
		x := float64(look.Questions)
		notWorse.Add(x, drawnAs(look.Evidence.NotWorse), stats.Interval{})
		worse.Add(x, drawnAs(look.Evidence.Worse), stats.Interval{})
		if i := look.Interval; i != nil {
			low, high = min(low, i[0]), max(high, i[1])
			difference.Add(x, look.Value, stats.Interval{Low: i[0], High: i[1], Confidence: s.Confidence})
		}
	}
	asked := html.Counts(float64(s.History[len(s.History)-1].Questions), html.Plain)
	bar := func(name string, level float64) html.Curve {
		return html.Curve{Name: name, Dashed: true, Points: []html.Point{{X: 0, Y: math.Log10(level)}, {X: asked.High, Y: math.Log10(level)}}}
	}
	alpha := s.Against.Alpha
	all := []html.Drawing{html.Plot{
		Caption: fmt.Sprintf("evidence after each look, as e-values: %s shows that it is not worse, %s that it is worse",
			format.Short(stats.Of(1/alpha)), format.Short(stats.Of(2/alpha))),
		X: asked, Y: html.Around(-2, math.Log10(highest), power), XLabel: "questions asked", YLabel: "e-value",
		Curves: []html.Curve{notWorse, worse, bar("shows not worse", 1/alpha), bar("shows worse", 2/alpha)},
	}}
	if len(difference.Points) > 0 {
		all = append(all, html.Plot{
			Caption: "difference over the set after each look, with a confidence sequence of " + format.Percent(stats.Of(s.Confidence)),
			X:       asked, Y: html.Around(max(low, -0.5), min(high, 0.5), points), XLabel: "questions asked", YLabel: "difference",
			Curves: []html.Curve{difference},
		})
	}
	return all
}

// drawnAs is the logarithm of an e-value, in the bounds of the drawing.
func drawnAs(e float64) stats.Number { return stats.Of(math.Log10(min(highest, max(0.01, e)))) }

func power(log float64) string { return html.Plain(math.Pow(10, log)) }

func points(share float64) string { return html.Plain(100*share) + " pp" }

// Section is the table of what was expected of each stratum and what was seen; empty of other draws.
func Section(s *metrics.Sequential) page.Section {
	section := page.Section{Title: "Expected flips", Below: true, Fold: "expected flips"}
	if s == nil || len(s.Calibration) == 0 {
		return section
	}
	section.Table = &page.Grid{Head: []string{"stratum", "reference", "questions", "asked", "expected flips", "flips"}}
	for h, c := range s.Calibration {
		reference := "wrong"
		if c.Right {
			reference = "right"
		}
		section.Table.Add(format.Count(h+1), reference, format.Count(c.Questions), format.Count(c.Known), format.Short(c.Expected),
			format.Count(c.Flips))
	}
	section.Notes = []string{"expected: by a model of flips by doubt, fitted to what was known before each block; of the strata that the " +
		"reference has right, and wrong, the most doubted come first"}
	if explained, known := s.Explained.Get(); known {
		section.Notes = append(section.Notes, fmt.Sprintf("the model explains %s of the deviance that one share of flips for all questions "+
			"leaves (below 0 it is worse than that)", format.Percent(stats.Of(explained))))
	}
	return section
}
