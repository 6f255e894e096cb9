package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A Sample is the questions of one subject, or all of them, each as the totals of its items that a statistic needs: right ones and
// all, or the four counts of a yes/no task. All questions have the same number of totals.
type Sample [][]float64

// A Statistic is a smooth function of totals, with its gradient. The value is NaN where it is undefined.
type Statistic func(totals []float64) (value float64, gradient []float64)

// OfRatio is totals[0] / totals[1].
func OfRatio(totals []float64) (float64, []float64) {
	ratio := totals[0] / totals[1]
	return ratio, []float64{1 / totals[1], -ratio / totals[1]}
}

// OfTotals estimates a statistic of the totals over all questions. Questions are the independent units: the error is
// the linearised statistic's,
//
//	z_q = gradient · x_q,  SE² = Σ_h n_h·s²_h(z)
//
// the delta method for totals of clusters (Cochran 1977, §6.8; Binder 1983, Int. Statist. Rev. 51:279). The interval has Σ(n_h − 1)
// degrees of freedom: between a floor and a ceiling it is [bounded]'s, else t's. A subject with one question takes the variance of
// all. Undefined without questions.
func OfTotals(samples []Sample, statistic Statistic, floor, ceiling, confidence float64) Estimate {
	nonempty := present(samples)
	if len(nonempty) == 0 {
		return Estimate{}
	}
	totals := make([]float64, len(nonempty[0][0]))
	questions := 0
	for _, s := range nonempty {
		questions += len(s)
		for _, x := range s {
			floats.Add(totals, x)
		}
	}
	value, gradient := statistic(totals)
	l := linearised{nonempty, 1, func(int) []float64 { return gradient }, spread(nonempty, gradient), float64(questions)}
	e := l.estimate(value, floor, ceiling, confidence)
	switch {
	case !e.Value.defined:
	case !e.SE.defined:
		e.Warnings = []string{oneQuestion}
	case e.SE.value == 0:
		e.Warnings = []string{alikeQuestions}
	}
	return e
}

// MacroOfTotals is the mean of a statistic over subjects, where it is defined, with the error of [OfTotals]. A subject's only question
// has no variance of its own: it takes the variance over all questions.
func MacroOfTotals(samples []Sample, statistic Statistic, floor, ceiling, confidence float64) Estimate {
	var nonempty []Sample
	var gradients [][]float64
	sum := 0.0
	var mean []float64 // of the totals of a question
	questions := 0.0
	for _, s := range present(samples) {
		totals := make([]float64, len(s[0]))
		for _, x := range s {
			floats.Add(totals, x)
		}
		if mean == nil {
			mean = make([]float64, len(totals))
		}
		floats.Add(mean, totals)
		questions += float64(len(s))
		if value, gradient := statistic(totals); !math.IsNaN(value) {
			nonempty, gradients, sum = append(nonempty, s), append(gradients, gradient), sum+value
		}
	}
	if len(nonempty) == 0 {
		return Estimate{}
	}
	n := float64(len(nonempty))
	squares := 0.0
	for _, s := range nonempty {
		squares += 1 / n / n / float64(len(s))
	}
	floats.Scale(1/questions, mean)
	_, gradient := statistic(mean)
	e := linearised{nonempty, 1 / n, func(h int) []float64 { return gradients[h] }, spread(nonempty, gradient), 1 / squares}
	macro := e.estimate(sum/n, floor, ceiling, confidence)
	if missing := len(samples) - len(nonempty); missing > 0 {
		macro.Warnings = append(macro.Warnings, leftOut(missing, len(samples)))
	}
	return macro
}

// spread is the variance of the questions' effects on a statistic.
func spread(samples []Sample, gradient []float64) float64 {
	var moves []float64
	for _, s := range samples {
		for _, x := range s {
			moves = append(moves, floats.Dot(gradient, x))
		}
	}
	_, variance := moments(moves)
	return variance
}

// present are the samples with a question.
func present(samples []Sample) []Sample {
	var nonempty []Sample
	for _, s := range samples {
		if len(s) > 0 {
			nonempty = append(nonempty, s)
		}
	}
	return nonempty
}

// A linearised statistic is the sum of each question's effect on it.
type linearised struct {
	samples  []Sample
	counts   float64 // weight of each sample
	gradient func(sample int) []float64
	lone     float64 // variance of a subject with one question
	units    float64 // equivalent number of questions that count alike (Kish 1965, §11.7)
}

func (l linearised) estimate(value, floor, ceiling, confidence float64) Estimate {
	questions, variance, freedom := 0, 0.0, 0
	for h, s := range l.samples {
		n := len(s)
		squares := l.lone
		if n > 1 {
			squares = spread(l.samples[h:h+1], l.gradient(h))
		}
		variance += l.counts * l.counts * float64(n) * squares
		questions, freedom = questions+n, freedom+n-1
	}
	if !Of(value).Defined() || questions < 2 {
		return Estimate{Value: Of(value)}
	}
	if freedom == 0 { // one question a subject, each with the variance of all
		freedom = questions - 1
	}
	if !math.IsInf(ceiling-floor, 1) {
		return bounded(value, variance, floor, ceiling, float64(freedom), l.units, confidence)
	}
	estimate := Estimate{Value: Of(value), SE: Of(math.Sqrt(variance))}
	if variance <= roundingVariance*max(1, value*value) {
		estimate.SE = Of(0)
		return estimate
	}
	reach := studentQuantile(confidence, float64(freedom)) * estimate.SE.value
	estimate.Interval = between(value-reach, value+reach, floor, ceiling, confidence, "cluster t")
	return estimate
}
