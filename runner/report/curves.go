package report

import (
	"fmt"
	"strconv"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/stats"
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
	draw := func(caption string, rows ...html.Strip) html.Drawing {
		s := html.Strips{Caption: caption, Head: []string{"", "share", d.confidence()}, Rows: rows}
		for i := range rows {
			rows[i].Cells = []string{format.Percent(rows[i].Value), format.Bounds(rows[i].Interval)}
		}
		s.Axis = s.Shares()
		return s
	}
	return page.Section{Title: "Options and questions", Drawings: []html.Drawing{
		draw("options classified correctly; a coin flip gets 50 % of each",
			html.Strip{Name: "right options called true (TPR)", Value: b.TPR, Interval: b.TPRCI, Baseline: coin},
			html.Strip{Name: "wrong options called false (TNR)", Value: b.TNR, Interval: b.TNRCI, Baseline: coin}),
		draw("whole questions, of "+d.OfQuestions(b.QuestionsComplete),
			html.Strip{Name: "every option right", Value: b.Exact, Interval: b.ExactCI, Baseline: b.ExactChance},
			html.Strip{Name: "only gold called true", Value: b.GoldOnly, Interval: b.GoldOnlyCI, Baseline: b.ExactChance},
			html.Strip{Name: "none called true", Value: b.NoTrue, Interval: b.NoTrueCI},
			html.Strip{Name: "several called true", Value: b.SeveralTrue, Interval: b.SeveralTrueCI}),
	}}
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
		X:       upTo(k), Y: html.Shares(1), XLabel: "k", Curves: []html.Curve{score, guess}}
}
