package pairs

import (
	"slices"

	"proctor/runner/mark/stats"
)

// totals are those of both runs of a question, B's behind A's; nil where the measure is not of it.
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

// Totals are what a pair's difference is made of, question by question: for one decision about several pairs.
type Totals struct {
	Questions []Total
	Gap       stats.Statistic // of the totals of all questions together
	Weights   map[string]int  // the questions of each stratum in the set; nil where questions count alike
}

// A Total is one question's.
type Total struct {
	Subject string
	ID      int
	Stratum string // among Weights
	X       []float64
}

// Totals are those of the pair with that number.
func (c *Comparison) Totals(pair int) Totals {
	a, b := &c.Runs[0], &c.Runs[pair+1]
	m := measureOf(a, b)
	t := Totals{Gap: m.rating.gap, Weights: m.weights}
	for _, q := range sharedBy(a.Marked.View(0), b.Marked.View(0)).questions() {
		x := m.rating.totals(q)
		if x == nil {
			continue
		}
		at := keyOf(q.a.Items[0])
		of := Total{Subject: at.subject, ID: at.question, X: x}
		if m.weights != nil {
			of.Stratum = m.stratum(q)
		}
		t.Questions = append(t.Questions, of)
	}
	return t
}

// Stopped says whether B's run ended once it was decided how it does beside A: the interval decides nothing then.
func (p *Pair) Stopped() bool { return p.sequential != nil }

// Judge decides about a difference that was made of several pairs, which has an interval of its own, and says so.
func (p *Pair) Judge(o Options) {
	if p.Decision = p.decide(o); !p.CI.IsZero() {
		notWorse := p.CI.Low > -o.Margin
		p.NonInferior = &notWorse
	}
	p.Verdict = p.sentence(o)
}

// Together is how each of so many pairs is compared where all intervals hold together.
func (o Options) Together(pairs int) Options { return o.together(pairs) }
