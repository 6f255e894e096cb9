package metrics

import (
	"fmt"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/results"
	"proctor/runner/stats"
)

// taskMetrics is what is measured of one task alone.
type taskMetrics interface {
	// guessed is the one-sided p of "no better than guessing", and how it was found.
	guessed(v results.View) (p stats.Number, test string)
	// figures adds the task's own ones to those of a part of the run: a subject, a number of options, another rule set.
	figures(f *Figures, v results.View)
	// measure sets the headline, the correction for chance and the task's own figures; the accuracy, the baseline and the
	// figures of the parts are there.
	measure(r *Summary, v results.View)
}

// taskOf finds the run's task and what is measured of it, and completes the settings.
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
	return t, nil, fmt.Errorf("metrics: task %q is not known here; the journal may be of a newer version", h.Task)
}

// Figures are what is known of a part of a run.
type Figures struct {
	results.Tally
	Accuracy         stats.Number   `json:"accuracy,omitzero"`
	AccuracyAnswered stats.Number   `json:"accuracy_answered,omitzero"`
	CI               stats.Interval `json:"ci,omitzero"`       // of accuracy
	Baseline         stats.Number   `json:"baseline,omitzero"` // expected from guessing
	PValue           stats.Number   `json:"p_value,omitzero"`
	BalancedAccuracy stats.Number   `json:"balanced_accuracy,omitzero"` // of a task of that headline
	PerfCircular     stats.Number   `json:"perf_circular,omitzero"`     // of a task of that headline
}

func (s *settings) figures(v results.View, task taskMetrics) Figures {
	t := v.Tally()
	f := Figures{
		Tally: t, Accuracy: t.Accuracy(), AccuracyAnswered: stats.Ratio(t.Correct, t.Answered),
		CI: s.accuracy(v).Interval, Baseline: expected(v),
	}
	f.PValue, _ = task.guessed(v)
	task.figures(&f, v)
	return f
}

// accuracy is the accuracy's estimate. Every interval takes the questions as its units.
func (s *settings) accuracy(v results.View) stats.Estimate {
	if s.independent {
		t := v.Tally()
		return stats.Estimate{Interval: s.interval(t.Correct, t.Scored(), s.confidence)}
	}
	return stats.ClusteredProportion(clusters(v), s.confidence)
}

// ofQuestions is the interval of the share of successes where a question has one verdict, or one for every repeat.
func (s *settings) ofQuestions(clusters []stats.Cluster) stats.Interval {
	if s.repeats > 1 {
		return stats.ClusteredProportion(clusters, s.confidence).Interval
	}
	sum := sumOf(clusters)
	return s.interval(sum.Successes, sum.Items, s.confidence)
}

// better says whether p is below what the confidence asks for; nil where there is no p.
func (s *settings) better(p stats.Number) *bool {
	value, defined := p.Get()
	if !defined {
		return nil
	}
	better := value < 1-s.confidence
	return &better
}

// guessedBy is the p of the questions' means less their own 1/options, or, where the questions do not vary, of what does
// not depend on each other, by the test of that name: items asked for the first time, at most one of a question.
func (s *settings) guessedBy(test string, v, single results.View) (p stats.Number, name string) {
	if !s.independent {
		if p := aboveChance(v); p.Defined() {
			return p, "t over questions"
		}
		single = single.FirstRepeat()
	}
	if p := stats.PoissonBinomialTail(single.Tally().Correct, chances(single)); p.Defined() {
		return p, test
	}
	return stats.Undefined, ""
}

// clusters counts the scored items of each question.
func clusters(v results.View) []stats.Cluster {
	var clusters []stats.Cluster
	for question := range v.Questions() {
		clusters = append(clusters, question.Tally().Cluster())
	}
	return clusters
}

// allRight counts, of each question, the repeats given and those of them with every item right.
func allRight(repeats []results.View) []stats.Cluster {
	var clusters []stats.Cluster
	sameQuestion := func(a, b results.View) bool { return results.SameQuestion(a.Items[0], b.Items[0]) }
	for question := range results.Groups(repeats, sameQuestion) {
		c := stats.Cluster{Items: len(question)}
		for _, repeat := range question {
			if repeat.Tally().AllRight() {
				c.Successes++
			}
		}
		clusters = append(clusters, c)
	}
	return clusters
}

func sumOf(clusters []stats.Cluster) (sum stats.Cluster) {
	for _, c := range clusters {
		sum.Successes, sum.Items = sum.Successes+c.Successes, sum.Items+c.Items
	}
	return sum
}

// ratioOf is the share of successes in all clusters.
func ratioOf(clusters []stats.Cluster) stats.Number {
	sum := sumOf(clusters)
	return stats.Ratio(sum.Successes, sum.Items)
}

// questionMeans are the shares of each question's scored items that are right.
func questionMeans(v results.View) []float64 {
	var means []float64
	for _, c := range clusters(v) {
		if share, defined := stats.Ratio(c.Successes, c.Items).Get(); defined {
			means = append(means, share)
		}
	}
	return means
}

// aboveChance is the one-sided p of "no better than guessing" from the questions' means less their own 1/options.
// Undefined where these do not vary.
func aboveChance(v results.View) stats.Number {
	var excess []float64
	for question := range v.Questions() {
		if share, defined := question.Tally().Accuracy().Get(); defined {
			excess = append(excess, share-1/float64(question.Items[0].Options))
		}
	}
	return stats.Exceeds(excess)
}

// expected is the mean of 1/options over the asked questions.
func expected(v results.View) stats.Number {
	var chances []float64
	for question := range v.Questions() {
		chances = append(chances, 1/float64(question.Items[0].Options))
	}
	return average(chances)
}

// chances are those of guessing each scored item right.
func chances(v results.View) []float64 {
	var all []float64
	for a := range v.Scored() {
		all = append(all, 1/float64(a.Options))
	}
	return all
}

// chanceCorrected is (score − chance)/(1 − chance).
func chanceCorrected(score, chance stats.Number) stats.Number {
	s, scoreDefined := score.Get()
	c, chanceDefined := chance.Get()
	if !scoreDefined || !chanceDefined {
		return stats.Undefined
	}
	return stats.Of((s - c) / (1 - c))
}

// average is the mean of the values, undefined without any.
func average(values []float64) stats.Number {
	mean, _ := stats.Spread(values)
	return mean
}
