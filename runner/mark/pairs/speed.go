package pairs

import (
	"fmt"
	"slices"
	"strings"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/mark/timing"
)

// compareSpeeds sets each run's questions a minute over the items that all runs have a completion for, or why speeds are not
// comparable. A run whose journal has no times has none.
func (c *Comparison) compareSpeeds() {
	if c.OtherWork = c.otherWork(); c.OtherWork != "" {
		return
	}
	answered := map[string]int{}
	for i := range c.Runs {
		for a := range c.Runs[i].Marked.View(0).Scored() {
			answered[a.ID]++
		}
	}
	for i := range c.Runs {
		run := c.Runs[i].Marked
		if run.Times == nil {
			continue
		}
		by := run.View(0).Where(func(it *results.Item) bool { return answered[it.ID] == len(c.Runs) })
		if seconds, known := timing.CostOf(by, timing.ClockOf(run)).Seconds.Get(); known {
			c.Runs[i].QuestionsPerMinute = stats.Of(60 / seconds)
		}
	}
}

// otherWork names the runs with different work; empty where all have the same items in the same form.
func (c *Comparison) otherWork() string {
	first := &c.Runs[0]
	x := &first.Marked.Header
	for i := range c.Runs[1:] {
		other := &c.Runs[i+1]
		y := other.named(x)
		if work := slices.DeleteFunc(append(Settings(x, y), others(x, y)...), noWork); len(work) > 0 {
			return fmt.Sprintf("%s and %s have different settings: %s", first.Name, other.Name, List(work))
		}
		if same := sharedItems(first, other); same < first.Items || same < other.Items {
			return fmt.Sprintf("%s has %s and %s %s; %s are in both", first.Name, format.Several(first.Items, "item"),
				other.Name, format.Count(other.Items), format.Count(same))
		}
	}
	return ""
}

// noWork says whether a setting leaves the work the same: the engine's settings, whose speed is measured, except for additions to
// requests; and the seed.
func noWork(d journal.FieldDiff) bool {
	return strings.HasPrefix(d.Field, "backend.") && d.Field != "backend.extra_body" || d.Field == "sampling.seed"
}

// SpeedsApart says why no run is called faster than another: their work, machines or other programs differ; empty where, by the
// journals, they do not.
func (c *Comparison) SpeedsApart() string {
	if c.OtherWork != "" {
		return c.OtherWork
	}
	var busy []string
	for i := range c.Runs {
		if c.Runs[i].Marked.Header.History.First().Host.CPU != c.Runs[0].Marked.Header.History.First().Host.CPU {
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

// front marks the runs that no other one beats both in score and in questions a minute (Pareto front). Runs without a speed have no
// place on it.
func (c *Comparison) front() {
	alike := c.SpeedsApart() == ""
	for i := range c.Runs {
		x := &c.Runs[i]
		x.Front = alike && x.Placed() && !slices.ContainsFunc(c.Runs, func(y Run) bool { return y.beats(x) })
	}
}

// Placed says whether the run has both a valid score and a speed.
func (r *Run) Placed() bool {
	return r.Validity.Valid && r.Headline.Value.Defined() && r.QuestionsPerMinute.Defined()
}

// beats says whether the run is better than another in score or speed, and no worse in the other.
func (r *Run) beats(other *Run) bool {
	if !r.Placed() || !other.Placed() {
		return false
	}
	score := r.Headline.Value.Or(0) - other.Headline.Value.Or(0)
	speed := r.QuestionsPerMinute.Or(0) - other.QuestionsPerMinute.Or(0)
	return score >= 0 && speed >= 0 && score+speed > 0
}

// PerMinute is a run's speed for people.
func (r *Run) PerMinute() string { return format.Decimal(r.QuestionsPerMinute, 1, 1, "") }
