package pairs

import (
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// both names the coverage of a pair whose runs cover different parts of a set.
const both = "questions of both runs"

// scoreTest is the test of independent questions.
const scoreTest = "score"

// totalsTest names the test where no single question is right or wrong as a whole.
const totalsTest = "score of totals"

// A measure is the figure in which a task's runs are compared.
type measure struct {
	name   string
	rating rating // of a question that is not right or wrong as a whole
	tabled bool   // each question is right or wrong as a whole, and was asked once
	covers string // what the headlines cover
}

// measureOf is the measure of two runs' headlines, over the questions that these cover. Items that were asked several times are not
// independent: their questions' totals are compared then.
func measureOf(a, b *Run) measure {
	h := &a.Marked.Header
	t, _ := task.Lookup(h.Task)
	m := measure{name: a.Headline.Name, tabled: h.Repeats <= 1, covers: a.Headline.Covers}
	if m.covers != b.Headline.Covers {
		m.covers = both
	}
	switch t.Headline {
	case task.BalancedAccuracy:
		m.rating, m.tabled = balanced, false
	case task.Perf:
		m.rating = perfect
	default:
		m.rating = meanOfRepeats
	}
	return m
}

// outcome compares two runs on some questions. Very few have values only.
func (m measure) outcome(questions []question, o Options) Outcome {
	score := tableOf(questions).Score()
	out := Outcome{score: score}
	if !m.tabled {
		m.ofTotals(&out, questions, o)
		return out
	}
	difference := score.Difference(o.Confidence)
	out.ValueA, out.ValueB, out.Difference = score.RightA, score.RightB, difference.Value
	out.SE, out.CI = difference.SE, difference.Interval
	if out.PValue, out.PMcNemar = score.P(0), tableOf(questions).McNemar(); out.PValue.Defined() {
		out.Test = scoreTest
	}
	return out
}

// counted is the number of the questions that the measure uses.
func (m measure) counted(questions []question) (n int) {
	for _, q := range questions {
		if m.rating.totals(q) != nil {
			n++
		}
	}
	return n
}

// MeasureName is the measure as people read it.
func (p *Pair) MeasureName() string { return strings.Replace(p.Measure, "balanced_", "balanced ", 1) }

// tableOf counts the whole questions with all items right.
func tableOf(questions []question) stats.Pairs {
	var table stats.Pairs
	for _, q := range questions {
		if q.whole {
			table.Add(q.a.Tally().AllRight(), q.b.Tally().AllRight())
		}
	}
	return table
}

// A rate is up to two ratios: hits by trials, each pair in turn.
type rate [4]float64

// A rating turns one run's answers to a question into a rate; used is how many of the rate's ratios it fills in.
type rating struct {
	of   func(v results.View, whole bool) rate
	used int
}

// balanced is TPR and TNR, for their mean.
var balanced = rating{used: 2, of: func(v results.View, _ bool) (r rate) {
	for a := range v.Answers() {
		kind := 0
		if a.Gold != "A" { // about an option that is not the gold one
			kind = 2
		}
		r[kind+1]++
		if a.Correct {
			r[kind]++
		}
	}
	return r
}}

// perfect is the share of whole questions with every item right; with repeats, of whole questions' repeats.
var perfect = rating{used: 1, of: func(v results.View, whole bool) (r rate) {
	if !whole {
		return r
	}
	for repeat := range v.Repeats() {
		r[1]++
		if repeat.Tally().AllRight() {
			r[0]++
		}
	}
	return r
}}

// meanOfRepeats is the mean over questions of the share of a question's repeats that are right.
var meanOfRepeats = rating{used: 1, of: func(v results.View, _ bool) rate { return rate{v.Tally().Accuracy().Or(0), 1} }}

// side is one run's mean of ratios; its totals begin at index at.
func (r rating) side(x []float64, at int) (value float64, gradient []float64) {
	gradient = make([]float64, len(x))
	used := float64(r.used)
	for i := at; i < at+2*r.used; i += 2 {
		value += x[i] / x[i+1] / used
		gradient[i], gradient[i+1] = 1/x[i+1]/used, -x[i]/x[i+1]/x[i+1]/used
	}
	return value, gradient
}

// ofTotals compares by the totals of both runs over the questions.
func (m measure) ofTotals(out *Outcome, questions []question, o Options) {
	var totals [][]float64
	for _, q := range questions {
		if x := m.rating.totals(q); x != nil {
			totals = append(totals, x)
		}
	}
	from := func(at int) stats.Statistic {
		return func(x []float64) (float64, []float64) { return m.rating.side(x, at) }
	}
	out.ValueA = stats.OfTotals([]stats.Sample{totals}, from(0), 0, 1, o.Confidence).Value
	out.ValueB = stats.OfTotals([]stats.Sample{totals}, from(4), 0, 1, o.Confidence).Value
	difference := stats.PairedTotals(totals, m.rating.gap, o.Confidence)
	out.Difference, out.SE, out.CI = difference.Value, difference.SE, difference.Interval
	if out.PValue = difference.P(0); out.PValue.Defined() {
		out.Test = totalsTest
	}
}

// totals are a question's totals in both runs, A's before B's; nil where the measure leaves it out.
func (r rating) totals(q question) []float64 {
	a, b := r.of(q.a, q.whole), r.of(q.b, q.whole)
	if a[1]+a[3] == 0 {
		return nil
	}
	return slices.Concat(a[:], b[:])
}

// gap is B's measure less A's, of both runs' totals.
func (r rating) gap(x []float64) (float64, []float64) {
	a, down := r.side(x, 0)
	b, up := r.side(x, 4)
	for i := range up {
		up[i] -= down[i]
	}
	return b - a, up
}
