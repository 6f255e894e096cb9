package report

import (
	"fmt"
	"math"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// highestEValue bounds what is drawn: beyond any level nobody needs to know more.
const highestEValue = 1e4

// evidenceDrawings are the e-values by questions asked. None of a run that was not held against another, and of one
// that has not looked yet.
func evidenceDrawings(s *metrics.Sequential) []page.Drawing {
	if s == nil || s.Against == nil || len(s.History) == 0 {
		return nil
	}
	notWorse, worse := html.Curve{Name: "not worse"}, html.Curve{Name: "worse"}
	for _, look := range s.History {
		x := float64(look.Questions)
		notWorse.Add(x, drawnAs(look.Evidence.NotWorse), stats.Interval{})
		worse.Add(x, drawnAs(look.Evidence.Worse), stats.Interval{})
	}
	asked := html.Counts(float64(s.History[len(s.History)-1].Questions), html.Plain)
	bar := func(name string, level float64) html.Curve {
		return html.Curve{Name: name, Dashed: true, Points: []html.Point{{X: 0, Y: math.Log10(level)}, {X: asked.High, Y: math.Log10(level)}}}
	}
	alpha := s.Against.Alpha
	return []page.Drawing{html.Plot{
		Caption: fmt.Sprintf("evidence after each look, as e-values: %s shows that it is not worse, %s that it is worse",
			format.Short(stats.Of(1/alpha)), format.Short(stats.Of(2/alpha))),
		X: asked, Y: html.Around(-2, math.Log10(highestEValue), powerOfTen), XLabel: "questions asked", YLabel: "e-value",
		Curves: []html.Curve{notWorse, worse, bar("shows not worse", 1/alpha), bar("shows worse", 2/alpha)},
	}}
}

// drawnAs is the logarithm of an e-value, in the bounds of the drawing.
func drawnAs(e float64) stats.Number { return stats.Of(math.Log10(min(highestEValue, max(0.01, e)))) }

func powerOfTen(log float64) string { return html.Plain(math.Pow(10, log)) }
