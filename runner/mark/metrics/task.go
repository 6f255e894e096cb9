package metrics

import (
	"fmt"
	"math"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/guess"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// taskMetrics are the figures that only one kind of task has.
type taskMetrics interface {
	// guessed is the one-sided p of "no better than guessing" for a part of a run.
	guessed(v results.View) stats.Number
	// figures adds the task's own figures to those of a part of the run: a subject, a number of options, another rule set.
	figures(f *Figures, v results.View)
	// measure sets the headline, the correction for chance, the macro accuracy and the task's own figures; the accuracy, the baseline
	// and the figures of the parts are set before.
	measure(r *Summary, v results.View)
	// shown are the figures of a part that a table of runs shows, the score last.
	shown(v results.View) []Metric
}

// taskOf finds the run's task and its figures, and completes the settings.
func taskOf(h *journal.Header, s *settings) (task.Task, taskMetrics, error) {
	t, known := task.Lookup(h.Task)
	s.independent = t.Independent == task.Item && s.repeats == 1
	switch {
	case !known:
	case t.Headline == task.Accuracy:
		return t, accuracy{s}, nil
	case t.Headline == task.BalancedAccuracy:
		return t, balanced{s}, nil
	case t.Headline == task.Perf:
		return t, perf{s, h.Pattern == task.AllPossible}, nil
	}
	return t, nil, fmt.Errorf("task %q is not known here; the journal may be of a newer version", h.Task)
}

// Figures are the common figures of a part of a run.
type Figures struct {
	results.Tally
	Accuracy         stats.Number   `json:"accuracy,omitzero"`
	AccuracyAnswered stats.Number   `json:"accuracy_answered,omitzero"`
	CI               stats.Interval `json:"ci,omitzero"`       // of accuracy
	SE               stats.Number   `json:"stderr,omitzero"`   // of accuracy
	Baseline         stats.Number   `json:"baseline,omitzero"` // share of the scored items that guessing gets right
	// against guessing; two-sided: twice the one-sided p of "no better than guessing"
	PValue stats.Number `json:"p_value,omitzero"`

	// Only for a task whose headline is balanced accuracy.
	BalancedAccuracy stats.Number   `json:"balanced_accuracy,omitzero"`
	BalancedCI       stats.Interval `json:"balanced_accuracy_ci,omitzero"`

	// Of a task that asks each order.
	AccOrigin stats.Number   `json:"acc_origin,omitzero"`
	Perf      stats.Number   `json:"perf,omitzero"` // by the orders of the headline
	PerfCI    stats.Interval `json:"perf_ci,omitzero"`
	PerfGuess guess.Scores   `json:"perf_baseline,omitzero"`
}

func (s *settings) figures(v results.View, task taskMetrics) Figures {
	t, accuracy := v.Tally(), s.accuracy(v)
	f := Figures{
		Tally: t, Accuracy: t.Accuracy(), AccuracyAnswered: stats.Ratio(t.Correct, t.Answered),
		CI: accuracy.Interval, SE: accuracy.SE, Baseline: guess.Expected(v),
	}
	task.figures(&f, v)
	if f.PValue = task.guessed(v).Times(2); f.PValue.Or(0) > 1 { // two-sided, as the interval is
		f.PValue = stats.Of(1)
	}
	return f
}

// guessedBy is the p-value of the questions' means less their own 1/options. Where these don't vary within questions, it is exact,
// over independent items: the first repeats of single, which has at most one item of a question.
func (s *settings) guessedBy(v, single results.View) stats.Number {
	if !s.independent {
		excess := v.QuestionMeans()
		for i, chance := range guess.Questions(v) {
			excess[i] -= chance
		}
		if p := stats.Exceeds(excess); p.Defined() {
			return p
		}
		single = single.FirstRepeat()
	}
	return stats.PoissonBinomialTail(single.Tally().Correct, guess.Items(single))
}

// average is the mean of the values, undefined without any.
func average(values []float64) stats.Number {
	mean, _ := stats.Spread(values)
	return mean
}

// A trial is the figure to compare with guessing, and the score of guessing: the headline, or the question mean over several orders.
type trial struct {
	estimate stats.Estimate
	chance   stats.Number
}

// against sets whether the run beats guessing: whether the figure's interval is above the score of guessing. p is from the test whose
// inversion that interval is, so neither contradicts the other.
func (r *Summary) against(s *settings) {
	e, b := r.trial.estimate, &r.Baseline
	chance, known := r.trial.chance.Get()
	if e.Interval.IsZero() || !known {
		return
	}
	better := e.Interval.Low > chance
	b.PValue, b.Better = e.P(chance), &better
	if !better {
		b.Needed, _ = e.QuestionsToShow(r.Questions, chance, s.confidence, stats.DefaultPower)
	}
}

// chanceCorrected is (score − chance)/(1 − chance), undefined where one of them is.
func chanceCorrected(score, chance stats.Number) stats.Number {
	c := chance.Or(math.NaN())
	return stats.Of((score.Or(math.NaN()) - c) / (1 - c))
}

// guess is the mean of a guesser's chances over whole questions.
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
