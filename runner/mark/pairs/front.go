package pairs

import (
	"slices"
	"strings"
)

// front marks the runs that no other one beats both in score and in questions a minute: Pareto's front. Runs without a speed have no
// place, and there is no front where the speeds are not comparable.
func (c *Comparison) front() {
	alike := c.SpeedsApart() == ""
	for i := range c.Runs {
		x := &c.Runs[i]
		x.Front = alike && x.Placed() && !slices.ContainsFunc(c.Runs, func(y Run) bool { return y.beats(x) })
	}
}

// SpeedsApart says why the runs' speeds are not comparable: they ran on several machines, or beside other programs; empty where they
// are, as far as the journals tell.
func (c *Comparison) SpeedsApart() string {
	var busy []string
	for i := range c.Runs {
		if c.Runs[i].Marked.Header.Host.CPU != c.Runs[0].Marked.Header.Host.CPU {
			return "the runs are of different machines"
		}
		if c.Runs[i].Speed.Others.Busy() {
			busy = append(busy, c.Runs[i].Name)
		}
	}
	if len(busy) == 0 {
		return ""
	}
	return "other programs slowed down " + strings.Join(busy, ", ")
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
