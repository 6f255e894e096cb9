package compare

import (
	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/results"
	"proctor/runner/stats"
)

// mcnemar is the test of independent questions.
const mcnemar = "mcnemar exact"

// A measure is what a task is compared by.
type measure struct {
	name   string
	rating rating // of a question, where whole questions are resampled
	// exact says that the questions with every item right are independent, so that their test can be exact; tabled that
	// these questions are all there is to it.
	exact, tabled bool
}

// measureOf is the measure of a task. Items that were asked several times are not independent: whole questions are
// resampled then, and no test is exact.
func measureOf(h *journal.Header) measure {
	t, _ := task.Lookup(h.Task)
	m := measure{name: t.HeadlineName(h.Pattern), exact: h.Repeats <= 1}
	switch t.Headline {
	case task.BalancedAccuracy:
		m.rating, m.exact = balanced, false
	case task.Perf:
		m.rating = perfect
	default:
		m.rating, m.tabled = meanOfRepeats, m.exact
	}
	return m
}

// outcome compares two runs on some questions.
func (m measure) outcome(questions []question, o Options) Outcome {
	table := tableOf(questions)
	if m.tabled {
		difference := table.Difference(o.Confidence)
		return Outcome{
			Measure:    m.name,
			ValueA:     stats.Ratio(table.Both+table.OnlyA, table.Total()),
			ValueB:     stats.Ratio(table.Both+table.OnlyB, table.Total()),
			Difference: difference.Value, SE: difference.SE, CI: difference.Interval,
			PValue: table.McNemar(), PMid: table.McNemarMidP(), Test: mcnemar,
		}
	}
	out := resampled(m.name, questions, m.rating, o)
	if m.exact {
		out.PValue, out.PMid, out.Test = table.McNemar(), table.McNemarMidP(), mcnemar
	}
	return out
}

// tableOf counts the whole questions with all items right.
func tableOf(questions []question) stats.Pairs {
	var table stats.Pairs
	for _, q := range questions {
		if !q.whole {
			continue
		}
		switch a, b := q.a.Tally().AllRight(), q.b.Tally().AllRight(); {
		case a && b:
			table.Both++
		case a:
			table.OnlyA++
		case b:
			table.OnlyB++
		default:
			table.Neither++
		}
	}
	return table
}

// A rate is a mean of up to two ratios: of hits to trials, over all questions that are drawn.
type rate struct{ hits, trials [2]float64 }

func (r *rate) add(other rate) {
	for i := range r.hits {
		r.hits[i] += other.hits[i]
		r.trials[i] += other.trials[i]
	}
}

// value is the mean of the ratios that any question contributes to (NaN without any).
func (r *rate) value(used int) float64 {
	sum := 0.0
	for i := range used {
		sum += r.hits[i] / r.trials[i]
	}
	return sum / float64(used)
}

// A rating turns one run's answers to a question into a rate; used is how many of the rate's ratios it fills in.
type rating struct {
	of   func(v results.View, whole bool) rate
	used int
}

// balanced is TPR and TNR, for their mean.
var balanced = rating{used: 2, of: func(v results.View, _ bool) rate {
	var r rate
	for a := range v.Answers() {
		kind := 0
		if a.Gold != "A" { // about an option that is not the gold one
			kind = 1
		}
		r.trials[kind]++
		if a.Correct {
			r.hits[kind]++
		}
	}
	return r
}}

// perfect is the share of whole questions with every item right; of repeats, of those of whole questions.
var perfect = rating{used: 1, of: func(v results.View, whole bool) rate {
	var r rate
	if !whole {
		return r
	}
	for repeat := range v.Repeats() {
		r.trials[0]++
		if repeat.Tally().AllRight() {
			r.hits[0]++
		}
	}
	return r
}}

// meanOfRepeats is the mean over questions of the share of a question's repeats that are right.
var meanOfRepeats = rating{used: 1, of: func(v results.View, _ bool) rate {
	return rate{hits: [2]float64{v.Tally().Accuracy().Or(0)}, trials: [2]float64{1}}
}}

// resampled compares by drawing whole questions, with both runs' answers to them, again and again.
func resampled(name string, questions []question, rating rating, o Options) Outcome {
	type both struct{ a, b rate }
	rates := make([]both, len(questions))
	var total both
	for i, q := range questions {
		rates[i] = both{rating.of(q.a, q.whole), rating.of(q.b, q.whole)}
		total.a.add(rates[i].a)
		total.b.add(rates[i].b)
	}
	a, b := total.a.value(rating.used), total.b.value(rating.used)
	out := Outcome{Measure: name, ValueA: stats.Of(a), ValueB: stats.Of(b), Difference: stats.Of(b - a)}
	if !out.Difference.Defined() {
		return out
	}
	replicates := stats.Bootstrap(len(rates), stats.BootstrapReplicates, o.Seed, func(units []int32) float64 {
		var drawn both
		for _, unit := range units {
			drawn.a.add(rates[unit].a)
			drawn.b.add(rates[unit].b)
		}
		return drawn.b.value(rating.used) - drawn.a.value(rating.used)
	})
	estimate := stats.Percentiles(b-a, replicates, o.Confidence)
	out.SE, out.CI = estimate.SE, estimate.Interval
	out.PValue, out.Test = stats.ReplicatesP(replicates), "bootstrap"
	if out.SE.Or(0) == 0 {
		// The runs differ in no question, or in all alike: resampling can't tell how much others would differ. The whole
		// questions' interval can, and is the wider one.
		out.SE, out.CI = stats.Undefined, tableOf(questions).Difference(o.Confidence).Interval
	}
	return out
}
