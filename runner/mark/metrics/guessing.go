package metrics

import (
	"math"

	"proctor/runner/mark/guess"
	"proctor/runner/mark/stats"
)

// average is the mean of the values, undefined without any.
func average(values []float64) stats.Number {
	mean, _ := stats.Spread(values)
	return mean
}

// A trial is the figure that is held against guessing, and what guessing scores there: the headline, or the question mean of
// several orders.
type trial struct {
	estimate stats.Estimate
	chance   stats.Number
}

// against says whether the run beats guessing: whether the interval of the figure that is held against it is above what
// guessing scores. p is of the test whose inversion that interval is, so neither contradicts the other.
func (r *Summary) against(s *settings) {
	e, b := r.trial.estimate, &r.Baseline
	chance, known := r.trial.chance.Get()
	if e.Interval.IsZero() || !known {
		return
	}
	better := e.Interval.Low > chance
	b.PValue, b.Test, b.Better = e.P(chance), "inversion of the interval ("+e.Interval.Method+")", &better
	if !better {
		b.Needed, _ = e.QuestionsToShow(r.Questions, chance, s.confidence, stats.DefaultPower)
	}
}

// chanceCorrected is (score − chance)/(1 − chance), undefined where one of them is.
func chanceCorrected(score, chance stats.Number) stats.Number {
	c := chance.Or(math.NaN())
	return stats.Of((score.Or(math.NaN()) - c) / (1 - c))
}

// guess is the mean over whole questions of what a guesser has a chance for.
func (s variantSet) guess(of func(guess.Question) guess.Chances) guess.Scores {
	if of == nil {
		return guess.Scores{}
	}
	all := make([]guess.Chances, len(s.whole))
	for i, orders := range s.whole {
		all[i] = of(s.guesser(orders))
	}
	return guess.Mean(all)
}
