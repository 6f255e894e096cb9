package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/timing"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// binarySection draws how right and wrong options, and whole questions, were judged.
func (d document) binarySection() page.Section {
	b := d.Binary
	if b == nil {
		return page.Section{}
	}
	coin := stats.Of(b.Coin)
	draw := func(shows, caption string, rows ...html.Strip) html.Drawing {
		s := html.Strips{Caption: caption, Shows: shows, Head: []string{"", "share", d.confidence()}, Rows: rows}
		for i := range rows {
			rows[i].Cells = []string{format.Percent(rows[i].Value), format.Bounds(rows[i].Interval)}
		}
		s.Axis = s.Shares()
		return s
	}
	return page.Section{Title: "Options and questions", Drawings: []html.Drawing{
		draw("right and wrong options", "options classified correctly; a coin flip gets 50 % of each",
			html.Strip{Name: "right options called true (TPR)", Value: b.TPR, Interval: b.TPRCI, Baseline: coin},
			html.Strip{Name: "wrong options called false (TNR)", Value: b.TNR, Interval: b.TNRCI, Baseline: coin}),
		draw("whole questions", "whole questions, of "+d.OfQuestions(b.QuestionsComplete),
			html.Strip{Name: "every option right", Value: b.Exact, Interval: b.ExactCI, Baseline: b.ExactChance},
			html.Strip{Name: "only gold called true", Value: b.GoldOnly, Interval: b.GoldOnlyCI, Baseline: b.ExactChance},
			html.Strip{Name: "none called true", Value: b.NoTrue, Interval: b.NoTrueCI},
			html.Strip{Name: "several called true", Value: b.SeveralTrue, Interval: b.SeveralTrueCI}),
	}}
}

// whole labels a tick with a whole number, and leaves ticks between unlabelled.
func whole(x float64) string {
	if x != float64(int(x)) {
		return ""
	}
	return format.Count(int(x))
}

// upTo is an axis of the whole numbers from 1.
func upTo(most int) html.Axis {
	a := html.Axis{Low: 1, High: float64(max(2, most))}
	step := max(1, (most+5)/10)
	for k := 1; k <= most; k += step {
		a.Ticks = append(a.Ticks, html.Tick{At: float64(k), Label: strconv.Itoa(k)})
	}
	return a
}

// moreCurve draws the share of questions with at least k right orders.
func (d document) moreCurve() html.Drawing {
	score := html.Curve{Name: "at least k orders right"}
	guess := html.Curve{Name: "guessing, a new letter each", Dashed: true}
	add := func(k int, m metrics.Metric) {
		score.Add(float64(k), m.Value, m.CI)
		guess.Add(float64(k), m.Guess.Anew, stats.Interval{})
	}
	name := strings.TrimPrefix(d.Headline.Name, "perf_")
	k := 1
	for ; ; k++ {
		m := d.Circular.Metric(fmt.Sprintf("more_%d_%s", k, name))
		if !m.Value.Defined() {
			break
		}
		add(k, m)
	}
	add(k, d.Circular.Metric("perf_"+name))
	return html.Plot{
		Caption: "share of questions with at least k orders right, with its " + d.confidence() + "; the last point is every order",
		X:       upTo(k), Y: html.Shares(1), XLabel: "k", YLabel: "share of questions", Curves: []html.Curve{score, guess}}
}

// timings draw how many slots were busy, and how long items took.
func (d document) timings() []html.Drawing {
	var plots []html.Drawing
	if active := d.active; len(active) > 0 {
		most := float64(d.Backend.Slots)
		curve := html.Curve{Name: "active slots", Steps: true}
		for _, a := range active {
			most = max(most, a.Slots)
			curve.Points = append(curve.Points, html.Point{X: a.From, Y: a.Slots})
		}
		end := active[len(active)-1].To
		curve.Points = append(curve.Points, html.Point{X: end, Y: active[len(active)-1].Slots})
		plots = append(plots, html.Plot{Caption: "active slots over the wall time", Shows: "slots at work", X: secondsTo(end),
			Y: html.Counts(most, whole), XLabel: "seconds", YLabel: "slots", Curves: []html.Curve{curve}})
	}
	for _, of := range []struct {
		what string
		d    timing.Distribution
	}{{"time to the first token", d.Speed.FirstToken}, {"time of an item", d.Speed.Latency}} {
		if len(of.d.Bins) > 0 {
			plots = append(plots, histogram(of.what, of.d))
		}
	}
	if len(plots) == 0 {
		return nil
	}
	return []html.Drawing{html.Beside(plots)}
}

// secondsTo is an axis that ends with the drawn data, even between ticks.
func secondsTo(end float64) html.Axis {
	x := html.Counts(end, html.Plain)
	x.High = end
	x.Ticks = slices.DeleteFunc(x.Ticks, func(t html.Tick) bool { return t.At > end })
	return x
}

func histogram(what string, d timing.Distribution) html.Drawing {
	var bars []html.Column
	most := 0
	for _, b := range d.Bins {
		bars = append(bars, html.Column{From: b.From.Or(0), To: b.To.Or(0), Height: float64(b.Count)})
		most = max(most, b.Count)
	}
	x := secondsTo(d.Bins[len(d.Bins)-1].To.Or(0))
	caption := fmt.Sprintf("%s, of %s: median %s, 95th percentile %s", what, format.Several(d.Items, "item"), format.Seconds(d.P50),
		format.Seconds(d.P95))
	if d.Longer > 0 {
		caption += fmt.Sprintf("; %s longer, up to %s, in the last bar", format.Count(d.Longer), format.Seconds(d.Most))
	}
	return html.Plot{Caption: caption, Shows: what, X: x, Y: html.Counts(float64(most), whole), XLabel: "seconds", YLabel: "items", Bars: bars}
}
