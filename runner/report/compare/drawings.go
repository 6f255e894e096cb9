package compare

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
)

// placeDrawing draws every run's score against its questions per minute; none if no run has both, or if speeds are not comparable.
func placeDrawing(c *pairs.Comparison) []html.Drawing {
	largest := int64(0)
	for i := range c.Runs {
		largest = max(largest, c.Runs[i].Model.SizeBytes)
	}
	measure := strings.ReplaceAll(c.Runs[0].Headline.Name, "_", " ")
	s := html.Scatter{
		Caption: fmt.Sprintf("%s with its %s against questions a minute on the same items", measure, intervalName(c)),
		XLabel:  "questions/min", YLabel: measure, Frontier: true,
		Legend: []html.Sign{{Kind: html.OnFront, Text: "Pareto front: no other run is better in both"},
			{Kind: html.Beaten, Text: "another run is better in both"}},
	}
	apart := c.SpeedsApart()
	if apart != "" { // then no run is marked as fastest
		s.Caption += ", which are not comparable: " + apart
		s.Frontier, s.Legend = false, []html.Sign{{Kind: html.OnFront, Text: "run"}}
	}
	s.Legend = append(s.Legend, html.Sign{Kind: html.Shaded, Text: "not significantly below the best run (paired by question)"})
	var values []float64
	fastest, missing := 0.0, []string{}
	for i := range c.Runs {
		run := &c.Runs[i]
		if !run.Placed() {
			missing = append(missing, run.Name)
			continue
		}
		score, speed := run.Headline.Value.Or(0), run.QuestionsPerMinute.Or(0)
		size := format.Size(run.Model.SizeBytes, "size not known")
		s.Marks = append(s.Marks, html.Mark{
			Name: run.Name, X: speed, Y: score, YInterval: run.Headline.CI, Full: run.Front || apart != "", Shaded: c.NotBelowBest(run.Name),
			Size: float64(run.Model.SizeBytes) / float64(max(1, largest)),
			Says: fmt.Sprintf("%s: %s (%s), %s questions/min, %s", run.Name, format.Percent(run.Headline.Value),
				format.Bounds(run.Headline.CI), run.PerMinute(), size),
		})
		values, fastest = append(values, score), max(fastest, speed)
		if ci := run.Headline.CI; !ci.IsZero() {
			values = append(values, ci.Low, ci.High)
		}
	}
	if len(s.Marks) == 0 {
		return nil
	}
	if largest > 0 {
		s.Caption += "; a mark's area is the model file's size"
	}
	if len(missing) > 0 {
		s.Caption += "; not drawn, since their speed is unknown: " + strings.Join(missing, ", ")
	}
	s.X, s.Y = html.Counts(fastest*1.08, html.Plain), around(values, percent)
	return []html.Drawing{s}
}

// volumeDrawing draws each pair's net change against how much changed: its divergence if it was scored, else its flips.
func volumeDrawing(c *pairs.Comparison) html.Drawing {
	scored := c.Pairs[0].Changed != nil
	against, xLabel, label := "the share of items that flipped", "flips (share of items)", percent
	if scored {
		against = fmt.Sprintf("the mean KL divergence from %s, with its %s", c.Pairs[0].Changed.Reference, intervalName(c))
		xLabel, label = "mean KL divergence, nat a token", html.Plain
	}
	var marks []html.Mark
	for i := range c.Pairs {
		p := &c.Pairs[i]
		m := changed(p, p.Flips.Or(0), format.Percent(p.Flips)+" flips")
		if scored {
			m.X = 0 // the reference itself
			if d := p.Changed.B; d != nil {
				m = changed(p, d.MeanKLD.Or(0), fmt.Sprintf("%s nat a token (%s)", format.Nat(d.MeanKLD), format.NatSpan(d.MeanKLDCI)))
				m.XInterval = d.MeanKLDCI
			}
		}
		if p.Difference.Defined() {
			marks = append(marks, m)
		}
	}
	return changes(c, against, xLabel, label, marks)
}

// changed is a pair's mark: its net change at x, beside the others.
func changed(p *pairs.Pair, x float64, there string) html.Mark {
	return html.Mark{Name: p.B, X: x, Y: p.Difference.Or(0), YInterval: p.CI, Full: true,
		Says: fmt.Sprintf("%s: %s, net change %s (%s)", p.B, there, change(p.Difference), interval(p.CI))}
}

// changes draws net changes from the first run on the upright axis, with lines at zero and at the margin.
func changes(c *pairs.Comparison, against, xLabel string, label func(float64) string, marks []html.Mark) html.Scatter {
	margin := stats.Of(-c.Margin)
	values, most := []float64{0, -c.Margin}, 0.0
	for _, m := range marks {
		values, most = append(values, m.Y), max(most, m.X, m.XInterval.High)
		if !m.YInterval.IsZero() {
			values = append(values, m.YInterval.Low, m.YInterval.High)
		}
	}
	return html.Scatter{
		Caption: fmt.Sprintf("net change of %s from %s, with its %s, against %s", c.Pairs[0].Measure, c.Runs[0].Name, pairInterval(c), against),
		XLabel:  xLabel, YLabel: "net change in percentage points", Marks: marks,
		Levels: []html.Level{{Value: stats.Of(0), Label: "no change"}, {Value: margin, Label: "margin, " + format.Change(margin, 1)}},
		X:      html.Counts(most*1.08, label), Y: around(values, points),
	}
}

// subjectDrawing draws the pair's difference by subject.
func subjectDrawing(p *pairs.Pair, c *pairs.Comparison) html.Drawing {
	s := html.Strips{
		Caption: fmt.Sprintf("%s of %s minus that of %s, in percentage points: all questions with their %s, "+
			"each subject with its own %s", p.Measure, p.B, p.A, pairInterval(c), intervalName(c)),
		Head: []string{"subject", p.A, p.B, "change", "interval", "questions", "p (Holm)"},
		Legend: []html.Sign{{Kind: html.Estimate, Text: "change"}, {Kind: html.Interval, Text: intervalName(c)},
			{Kind: html.Against, Text: "no change"}},
	}
	values := []float64{0}
	add := func(name string, o pairs.Outcome, questions int, adjusted string, strong bool) {
		if x, known := o.Difference.Get(); known {
			values = append(values, x)
		}
		if !o.CI.IsZero() {
			values = append(values, o.CI.Low, o.CI.High)
		}
		s.Rows = append(s.Rows, html.Strip{Name: name, Value: o.Difference, Interval: o.CI, Baseline: stats.Of(0), Strong: strong,
			Cells: []string{format.Percent(o.ValueA), format.Percent(o.ValueB), change(o.Difference), interval(o.CI),
				format.Count(questions), adjusted}})
	}
	for _, subject := range p.Subjects {
		add(subject.Subject, subject.Outcome, subject.Questions, format.BareProbability(subject.PAdjusted), false)
	}
	add("all", p.Outcome, p.Questions, "", true)
	s.Axis = around(values, points)
	return s
}

// lengthDrawings draw how much the runs write, and how often the cap ended that.
func lengthDrawings(c *pairs.Comparison) []html.Drawing {
	tokens := html.Strips{
		Caption: "output tokens per item, thinking included", Head: []string{"run", "median", "5–95 %", "mean", "thinking"},
		Legend: []html.Sign{{Kind: html.Estimate, Text: "median"}, {Kind: html.Interval, Text: "the middle 90 % of the items"}},
	}
	capped := html.Strips{
		Caption: fmt.Sprintf("items cut off by the cap (%s)", setting.MaxTokens),
		Head:    []string{"run", "hit the cap", "of items"}, Bars: true,
		Legend: []html.Sign{{Kind: html.Bar, Text: "share of the items"}},
	}
	most, cut, shares := 0.0, 0, []float64{}
	for i := range c.Runs {
		run := &c.Runs[i]
		l := &run.Length
		row := html.Strip{Name: run.Name, Value: l.P50,
			Cells: []string{format.Short(l.P50), format.Undefined, format.Short(l.Mean), format.Short(l.Thinking)}}
		if l.P5.Defined() {
			row.Cells[1] = format.Short(l.P5) + "–" + format.Short(l.P95)
			row.Interval = stats.Interval{Low: l.P5.Or(0), High: l.P95.Or(0), Method: "quantiles"}
		}
		tokens.Rows = append(tokens.Rows, row)
		most, cut, shares = max(most, l.P95.Or(0)), cut+l.Capped, append(shares, l.CappedShare.Or(0))
		capped.Rows = append(capped.Rows, html.Strip{Name: run.Name, Value: l.CappedShare,
			Cells: []string{format.Count(l.Capped), format.Percent(l.CappedShare)}})
	}
	tokens.Axis, capped.Axis = html.Counts(most, html.Plain), html.Shares(shares...)
	switch {
	case most > 0:
		return []html.Drawing{tokens, capped}
	case cut > 0:
		return []html.Drawing{capped}
	}
	return nil
}

// around is an axis wide enough for some values.
func around(values []float64, label func(float64) string) html.Axis {
	return html.Around(slices.Min(values), slices.Max(values), label)
}

func percent(x float64) string { return format.Short(stats.Of(100*x)) + " %" }

// points labels a difference of shares on an axis whose label says that it has percentage points.
func points(x float64) string {
	if x > 1e-12 {
		return "+" + format.Short(stats.Of(100*x))
	}
	return format.Short(stats.Of(100 * min(x, 0)))
}
