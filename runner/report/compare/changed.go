package compare

import (
	"fmt"

	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/page"
)

// notByDivergence explains why runs stay in the given order, whatever their divergences.
const notByDivergence = "divergences say how much a model changed, not how much worse it got, so runs are not ranked by them: in " +
	"published work on 69 quants they track benchmark scores over wide ranges, but not among the good quants"

// halves are the two parts of the verdict: what was changed, and whether that made the model worse.
func halves(p *pairs.Pair, c *pairs.Comparison) page.Facts {
	var facts page.Facts
	if p.Changed == nil {
		return facts
	}
	name := "changed"
	for _, side := range []struct {
		run string
		d   *divergence.Distance
	}{{p.A, p.Changed.A}, {p.B, p.Changed.B}} {
		if side.d == nil {
			continue
		}
		facts.Add(name, format.Nat(side.d.MeanKLD)+" nat", fmt.Sprintf("a token: mean KL divergence of %s from %s, %s %s%s; same top token %s",
			side.run, referenceName(p, p.Changed), intervalName(c), format.NatSpan(side.d.MeanKLDCI), bound(p.Changed),
			format.Percent(side.d.SameTop)))
		name = ""
	}
	facts.Add(name, format.Percent(p.Flips)+" flips", fmt.Sprintf("of items: right → wrong %s, wrong → right %s; another answer %s",
		format.Count(p.RightToWrong), format.Count(p.WrongToRight), format.Percent(p.AnswerChanged)))
	facts.Add("worse", worse(p), fmt.Sprintf("%s %s, %s %s, margin %s", p.Measure, change(p.Difference), pairInterval(c),
		interval(p.CI), format.Points(stats.Of(c.Margin), 1)))
	return facts
}

// referenceName names the reference for people: by the run's name if the reference is one of the two runs.
func referenceName(p *pairs.Pair, c *pairs.Changed) string {
	switch {
	case c.A == nil:
		return p.A
	case c.B == nil:
		return p.B
	}
	return c.Reference
}

// bound notes that a divergence is only a lower bound.
func bound(c *pairs.Changed) string {
	if c.Method == "lower_bound" {
		return ", a lower bound"
	}
	return ""
}

// worse words the answer to "is B worse?".
func worse(p *pairs.Pair) string {
	switch p.Decision {
	case pairs.Better:
		return "no: better"
	case pairs.NotWorse:
		return "no"
	case pairs.Worse:
		return "yes"
	case "":
		return format.Undefined
	case pairs.Identical:
		if p.ShownNotWorse() {
			return "no"
		}
	}
	return "undecided"
}

// changedSection shows both halves of the verdict of several runs side by side, in the given order.
func changedSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Amount and direction of change", ID: "volume-and-direction-of-change", Drawings: []page.Drawing{volumeDrawing(c)}}
	if len(c.Pairs) < 2 || c.Pairs[0].Changed == nil {
		return s
	}
	s.Table = &page.Grid{Head: []string{
		"run", "Mean KLD", intervalName(c), "99.0% KLD", "same top", "flips", "change", pairInterval(c), "worse",
	}}
	row := func(name string, d *divergence.Distance, rest ...string) {
		cells := []string{name, "reference", "", "", ""}
		if d != nil {
			cells = []string{name, format.Nat(d.MeanKLD), format.NatSpan(d.MeanKLDCI), format.Nat(d.P99KLD), format.Percent(d.SameTop)}
		}
		s.Table.Add(append(cells, rest...)...)
	}
	row(c.Runs[0].Name, c.Pairs[0].Changed.A, "", "", "", "")
	for i := range c.Pairs {
		p := &c.Pairs[i]
		row(p.B, p.Changed.B, format.Percent(p.Flips), change(p.Difference), interval(p.CI), worse(p))
	}
	first := c.Pairs[0].Changed
	s.Notes = []string{fmt.Sprintf("divergences in nat a token from %s%s, on the completions of %s; "+
		"flips, change and worse against %s, margin %s",
		first.Reference, bound(first), first.Against, c.Runs[0].Name, format.Points(stats.Of(c.Margin), 1))}
	return s
}
