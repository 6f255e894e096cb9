package pairs

import "slices"

// front marks the runs that no other one beats both in score and in questions a minute: Pareto's front. Both are each run's own,
// so that the speeds are comparable as far as the runs' conditions were. Runs without a speed have no place.
func (c *Comparison) front() {
	for i := range c.Runs {
		x := &c.Runs[i]
		x.Front = x.Placed() && !slices.ContainsFunc(c.Runs, func(y Run) bool { return y.beats(x) })
	}
}

// Placed says whether the run has both a valid score and a speed.
func (r *Run) Placed() bool {
	return r.Validity.Valid && r.Headline.Value.Defined() && r.Speed.PerMinute.Defined()
}

// beats says whether the run is better than another in one, and no worse in the other.
func (r *Run) beats(other *Run) bool {
	if !r.Placed() || !other.Placed() {
		return false
	}
	score, speed := r.Headline.Value.Or(0)-other.Headline.Value.Or(0), r.Speed.PerMinute.Or(0)-other.Speed.PerMinute.Or(0)
	return score >= 0 && speed >= 0 && score+speed > 0
}

// NotBelowBest says whether a run is not shown to be below the best: it is in the tied set, or, of two, their interval contains 0.
func (c *Comparison) NotBelowBest(name string) bool {
	if len(c.Pairs) > 1 {
		return slices.Contains(c.Tied, name)
	}
	p := &c.Pairs[0]
	return p.CI.IsZero() || p.CI.Contains(0) || (name == p.B) == (p.Difference.Or(0) > 0)
}
