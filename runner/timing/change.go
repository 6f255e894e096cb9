package timing

import (
	"proctor/runner/results"
	"proctor/runner/stats"
)

// A Change is how much more of something run B takes than run A on the same questions.
type Change struct {
	Name    string         `json:"name"`
	Unit    string         `json:"unit"`
	ValueA  stats.Number   `json:"value_a,omitzero"`
	ValueB  stats.Number   `json:"value_b,omitzero"`
	Change  stats.Number   `json:"change,omitzero"`    // as a share of A's: 0.25 is a quarter more
	CI      stats.Interval `json:"change_ci,omitzero"` // paired by question
	Changed bool           `json:"significant"`        // the interval leaves out 0
}

// The totals of a question that changes are made of, of both runs.
const (
	secondsA = iota
	outputA
	rightA
	secondsB
	outputB
	rightB
	questions
	totals
)

// costs are the figures of [Cost] as ratios of totals: what, by what.
var costs = []struct {
	name, unit string
	whatA, byA int
	whatB, byB int
	needsTime  bool
}{
	{"time a question", "s", secondsA, questions, secondsB, questions, true},
	{"output a question", "tokens", outputA, questions, outputB, questions, false},
	{"time a right answer", "s", secondsA, rightA, secondsB, rightB, true},
}

// Changes are what the same items, in the same order, cost in two runs, paired by question: the ratio of B's figure to A's
// less 1, with the interval of its logarithm.
func Changes(a, b results.View, clockA, clockB Clock, confidence float64) []Change {
	var sample stats.Sample
	timed, start := true, 0
	for question := range a.Questions() {
		x := make([]float64, totals)
		x[questions] = 1
		for i, it := range question.Items {
			other := b.Items[start+i]
			tookA, knownA := clockA(it)
			tookB, knownB := clockB(other)
			timed = timed && knownA && knownB
			x[secondsA], x[secondsB] = x[secondsA]+tookA, x[secondsB]+tookB
			x[outputA], x[outputB] = x[outputA]+float64(it.Usage.OutputTokens), x[outputB]+float64(other.Usage.OutputTokens)
			x[rightA], x[rightB] = x[rightA]+one(a.Of(it).Correct), x[rightB]+one(b.Of(other).Correct)
		}
		start += len(question.Items)
		sample.Questions = append(sample.Questions, x)
	}
	sum := make([]float64, totals)
	for _, x := range sample.Questions {
		for i := range x {
			sum[i] += x[i]
		}
	}
	var changes []Change
	for _, c := range costs {
		if c.needsTime && !timed || sum[c.whatA] == 0 {
			continue
		}
		ratio := func(t []float64) (float64, []float64) {
			ratio := t[c.whatB] / t[c.byB] * t[c.byA] / t[c.whatA]
			gradient := make([]float64, totals)
			gradient[c.whatB] += ratio / t[c.whatB]
			gradient[c.byB] -= ratio / t[c.byB]
			gradient[c.byA] += ratio / t[c.byA]
			gradient[c.whatA] -= ratio / t[c.whatA]
			return ratio, gradient
		}
		value, _ := ratio(sum)
		ci := stats.PositiveOfTotals([]stats.Sample{sample}, ratio, confidence).Interval
		ci.Low, ci.High = ci.Low-1, ci.High-1
		changes = append(changes, Change{
			Name: c.name, Unit: c.unit, ValueA: stats.Of(sum[c.whatA] / sum[c.byA]), ValueB: stats.Of(sum[c.whatB] / sum[c.byB]),
			Change: stats.Of(value - 1), CI: ci, Changed: !ci.IsZero() && !ci.Contains(0),
		})
	}
	return changes
}

func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
