package metrics

import (
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// clusters counts each question's scored items, and those for which holds is true.
func clusters(v results.View, holds func(results.Answer) bool) []stats.Cluster {
	var clusters []stats.Cluster
	for question := range v.Questions() {
		var c stats.Cluster
		for a := range question.Scored() {
			c.Items++
			if holds(a) {
				c.Successes++
			}
		}
		clusters = append(clusters, c)
	}
	return clusters
}

func correct(a results.Answer) bool { return a.Correct }

// rightOfScored are the right and the scored items of each question that has any.
func rightOfScored(v results.View) stats.Sample { return stats.Totals(clusters(v, correct)) }

// bySubject are the scores, or the totals, of each subject's questions.
func bySubject[T any](v results.View, of func(results.View) T) (all []T) {
	for part := range v.Subjects() {
		all = append(all, of(part))
	}
	return all
}

// judged counts each question's repeats, and those for which holds is true.
func judged(repeats []results.View, holds func(repeat results.View) bool) []stats.Cluster {
	var clusters []stats.Cluster
	sameQuestion := func(a, b results.View) bool { return results.SameQuestion(a.Items[0], b.Items[0]) }
	for question := range results.Groups(repeats, sameQuestion) {
		c := stats.Cluster{Items: len(question)}
		for _, repeat := range question {
			if holds(repeat) {
				c.Successes++
			}
		}
		clusters = append(clusters, c)
	}
	return clusters
}

func allRight(repeat results.View) bool { return repeat.Tally().AllRight() }

func sumOf(clusters []stats.Cluster) (sum stats.Cluster) {
	for _, c := range clusters {
		sum.Successes, sum.Items = sum.Successes+c.Successes, sum.Items+c.Items
	}
	return sum
}

// shares are the shares of each cluster that has items.
func shares(clusters []stats.Cluster) []float64 {
	var shares []float64
	for _, c := range clusters {
		if share, defined := stats.Ratio(c.Successes, c.Items).Get(); defined {
			shares = append(shares, share)
		}
	}
	return shares
}

// proportion is k of n that do not depend on each other.
func (s *settings) proportion(k, n int) stats.Estimate {
	return stats.Proportion(k, n, s.confidence)
}

// share is the share of successes with its interval, where a question has one verdict, or one for every repeat.
func (s *settings) share(clusters []stats.Cluster) (value, se stats.Number, ci stats.Interval) {
	sum := sumOf(clusters)
	estimate := s.proportion(sum.Successes, sum.Items)
	if s.repeats > 1 {
		estimate = stats.ClusteredProportion(clusters, s.confidence)
	}
	return stats.Ratio(sum.Successes, sum.Items), estimate.SE, estimate.Interval
}

// accuracy is the accuracy's estimate.
func (s *settings) accuracy(v results.View) stats.Estimate { return s.ofScored(v, correct) }

// ofScored is the share of the scored items for which holds is true. Every interval takes the questions as its units.
func (s *settings) ofScored(v results.View, holds func(results.Answer) bool) stats.Estimate {
	all := clusters(v, holds)
	if len(all) == len(v.Items) {
		sum := sumOf(all)
		return s.proportion(sum.Successes, sum.Items)
	}
	return stats.ClusteredProportion(all, s.confidence)
}

// answered are the items with an answer.
func answered(v results.View) results.View {
	return v.Where(func(it *results.Item) bool { return v.Of(it).Answered() })
}
