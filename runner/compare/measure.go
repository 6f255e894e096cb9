package compare

import (
	"maps"

	"proctor/prompts/task"
	"proctor/runner/metrics"
	"proctor/runner/results"
	"proctor/runner/stats"
)

// scoreTest is the test of independent questions.
const scoreTest = "score"

// A measure is what a task is compared by.
type measure struct {
	name   string
	rating rating // of a question, where whole questions are resampled
	tabled bool   // a question is right or wrong as a whole, and was asked once
	// weights are the questions of each subject in the set, where the runs' headlines are estimates for it; nil where questions
	// count alike.
	weights map[string]int
}

// measureOf is the measure of two runs' task, over the population that their headlines are of. Items that were asked several
// times are not independent: whole questions are resampled then.
func measureOf(a, b *results.Run) measure {
	h := &a.Header
	t, _ := task.Lookup(h.Task)
	m := measure{name: t.HeadlineName(h.Pattern), tabled: h.Repeats <= 1, weights: metrics.Weights(h, a.View(0))}
	if !maps.Equal(m.weights, metrics.Weights(&b.Header, b.View(0))) {
		m.weights = nil
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

// plain is the measure of the questions that were asked, none weighted.
func (m measure) plain() measure {
	m.weights = nil
	return m
}

// outcome compares two runs on some questions.
func (m measure) outcome(questions []question, o Options) Outcome {
	score := stats.Score(m.strata(questions))
	out := Outcome{Measure: m.name, Covers: metrics.Asked, score: score}
	if m.weights != nil {
		out.Covers, out.Effective = metrics.WholeSet, stats.Of(score.Effective)
	}
	difference := score.Difference(o.Confidence)
	if !m.tabled {
		m.resample(&out, questions, o)
		if out.SE.Or(0) == 0 && out.Difference.Defined() {
			// The runs differ in no question, or in all alike: resampling can't tell how much others would differ. The whole
			// questions' interval can, and is the wider one.
			out.SE, out.CI = stats.Undefined, difference.Interval
		}
		return out
	}
	out.ValueA, out.ValueB, out.Difference = score.RightA, score.RightB, difference.Value
	out.SE, out.CI = difference.SE, difference.Interval
	out.PValue, out.PMid, out.Test = score.P(0), tableOf(questions).McNemarMidP(), scoreTest
	return out
}

// strata are the tables of each subject where questions are weighted, and one table of all where they count alike.
func (m measure) strata(questions []question) []stats.PairedStratum {
	if m.weights == nil {
		return []stats.PairedStratum{{Pairs: tableOf(questions), Weight: 1}}
	}
	var strata []stats.PairedStratum
	for part := range results.Groups(questions, sameSubject) {
		strata = append(strata, stats.PairedStratum{Pairs: tableOf(part), Weight: float64(m.weights[part[0].subject()])})
	}
	return strata
}

func sameSubject(x, y question) bool { return x.subject() == y.subject() }

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

// scale counts a question as several.
func (r *rate) scale(weight float64) {
	for i := range r.hits {
		r.hits[i] *= weight
		r.trials[i] *= weight
	}
}

// A twin is what both runs made of a question.
type twin struct{ a, b rate }

func (r *twin) add(other twin) {
	r.a.add(other.a)
	r.b.add(other.b)
}

// gap is B's value less A's.
func (r *twin) gap(used int) float64 { return r.b.value(used) - r.a.value(used) }

// rated are the questions' rates, where questions are weighted each as many times as it stands for questions of its subject.
func (m measure) rated(questions []question) []twin {
	all, counted := make([]twin, len(questions)), map[string]int{}
	for i, q := range questions {
		all[i] = twin{m.rating.of(q.a, q.whole), m.rating.of(q.b, q.whole)}
		if all[i].a.trials[0] > 0 {
			counted[q.subject()]++
		}
	}
	if m.weights == nil {
		return all
	}
	for i, q := range questions {
		if n := counted[q.subject()]; n > 0 {
			weight := float64(m.weights[q.subject()]) / float64(n)
			all[i].a.scale(weight)
			all[i].b.scale(weight)
		}
	}
	return all
}

// resample compares by drawing whole questions, with both runs' answers to them and their weights, again and again.
func (m measure) resample(out *Outcome, questions []question, o Options) {
	all := m.rated(questions)
	var total twin
	for _, r := range all {
		total.add(r)
	}
	used := m.rating.used
	out.ValueA, out.ValueB = stats.Of(total.a.value(used)), stats.Of(total.b.value(used))
	out.Difference = stats.Of(total.gap(used))
	if !out.Difference.Defined() {
		return
	}
	replicates := stats.Bootstrap(len(all), stats.BootstrapReplicates, o.Seed, func(units []int32) float64 {
		var drawn twin
		for _, unit := range units {
			drawn.add(all[unit])
		}
		return drawn.gap(used)
	})
	estimate := stats.Percentiles(total.gap(used), replicates, o.Confidence)
	out.SE, out.CI = estimate.SE, estimate.Interval
	out.PValue, out.Test = stats.ReplicatesP(replicates), "bootstrap"
}
