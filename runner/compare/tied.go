package compare

import (
	"fmt"
	"slices"
	"strings"

	"proctor/runner/stats"
)

// adjust corrects the pairs' p-values for their number.
func (c *Comparison) adjust() {
	if len(c.Pairs) < 2 {
		c.Decision, c.Verdict = c.Pairs[0].Decision, c.Pairs[0].Verdict
		return
	}
	var ps []stats.Number
	for _, p := range c.Pairs {
		ps = append(ps, p.PValue)
	}
	for i, adjusted := range stats.BenjaminiHochberg(ps) {
		c.Pairs[i].PAdjusted = adjusted
	}
}

// tie finds, of several runs, the one with the highest score and those that are not shown to be worse: each of the others is
// tested against the best, adjusted by Benjamini and Hochberg's method for their number.
//
// Note: the best is chosen by looking, which favours it; a run outside the set is worse all the same, a run inside it may yet be.
func (c *Comparison) tie(o Options) {
	if len(c.Runs) < 3 {
		return
	}
	if !slices.ContainsFunc(c.Runs, func(r Run) bool { return r.Answered > 0 }) {
		c.Verdict = "no verdict: no run has an answer to any question"
		return
	}
	best := 0
	for i, run := range c.Runs {
		if run.Headline.Value.Or(-1) > c.Runs[best].Headline.Value.Or(-1) {
			best = i
		}
	}
	m := measureOf(&c.Runs[best].results.Header)
	var ps []stats.Number
	for i, run := range c.Runs {
		if i == best {
			ps = append(ps, stats.Undefined)
			continue
		}
		outcome := m.outcome(sharedBy(c.Runs[best].results.View(0), run.results.View(0)).questions(), o)
		ps = append(ps, outcome.PValue)
	}
	c.Best = c.Runs[best].Name
	for i, p := range stats.BenjaminiHochberg(ps) {
		if i == best || p.Or(1) >= 1-o.Confidence {
			c.Tied = append(c.Tied, c.Runs[i].Name)
		}
	}
	switch len(c.Tied) {
	case 1:
		c.Verdict = fmt.Sprintf("%s is better than all the others", c.Best)
	case len(c.Runs):
		c.Verdict = "no run is shown to be better than another"
	default:
		others := slices.DeleteFunc(slices.Clone(c.Tied), func(name string) bool { return name == c.Best })
		c.Verdict = fmt.Sprintf("%s scores highest; not shown to be worse: %s", c.Best, strings.Join(others, ", "))
	}
}
