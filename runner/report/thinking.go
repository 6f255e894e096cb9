package report

import (
	"fmt"
	"math"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// thinkingSections show the gain from thinking, and accuracy by its budget.
func (r document) thinkingSections() []page.Section {
	f := r.Thinking
	if f == nil {
		return nil
	}
	s := page.Section{Title: "Thinking", Warnings: r.About(metrics.AboutThinking), Drawings: r.budgetCurve()}
	s.Facts.Add("closed by force", format.Percent(f.ClosedShare), fmt.Sprintf("%s of %s, after %s of thinking, %s",
		format.Count(f.Closed.Items), format.Several(f.Closed.Items+f.Itself.Items, "item"),
		format.Several(f.Budgets[len(f.Budgets)-1], "token"), r.interval(f.ClosedCI)))
	of := func(name string, p metrics.SomeItems) {
		if p.Items > 0 {
			s.Facts.Add(name, format.Percent(p.Accuracy), fmt.Sprintf("%s of %s, %s", format.Count(p.Correct), format.Count(p.Items),
				r.interval(p.CI)))
		}
	}
	of("accuracy, closed", f.Closed)
	of("accuracy, the others", f.Itself)
	s.Facts.Add("tokens of thinking", format.Count(f.ThinkingTokens), "of answers "+format.Count(f.AnswerTokens))
	if per, defined := f.PerRight.Get(); defined {
		s.Facts.Add("a right answer took", format.Several(int(math.Round(per)), "token"), "of thinking, that of wrong ones counted")
	}
	curve := page.Section{Title: "By budget of thinking", Below: true, Fold: "every figure by budget"}
	if len(f.Curve) > 0 {
		curve.Table = &page.Grid{Head: []string{"budget", "accuracy", r.confidence(), "to the largest", r.confidence(), "closed",
			"tokens a right answer"}}
		for i, p := range f.Curve {
			difference, bounds := format.Change(p.Difference, 2), format.ChangeBounds(p.DifferenceCI)
			if i == len(f.Curve)-1 {
				difference, bounds = "", ""
			}
			curve.Table.Add(format.Count(p.Budget), format.Percent(p.Accuracy), format.Bounds(p.CI), difference, bounds,
				format.Count(p.Closed), format.Decimal(p.PerRight, 1, 0, ""))
		}
		curve.Notes = []string{"one thinking of each item, closed at each budget that it reached; differences are paired by question"}
	}
	return []page.Section{s, curve}
}

// budgetCurve draws accuracy by budget.
func (r document) budgetCurve() []html.Drawing {
	var points []html.LengthPoint
	for _, p := range r.Thinking.Curve {
		points = append(points, html.LengthPoint{Length: p.Budget, Value: p.Accuracy, Interval: p.CI})
	}
	return html.ByLength(html.Plot{
		Caption: "accuracy if thinking is ended at each budget, with its " + r.confidence(), XLabel: "thinking budget in tokens",
		YLabel: "accuracy",
	}, r.Baseline.Expected, points)
}
