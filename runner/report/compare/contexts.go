package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// A contextLine is the runs that differ in nothing but how much other text stands before their prompts, the shortest first.
type contextLine struct {
	name string
	runs []*pairs.Run
}

// contextLines are those with two lengths or more, in the order of the runs; of two runs with one length, the first counts.
func contextLines(c *pairs.Comparison) []contextLine {
	var all []contextLine
	for i := range c.Runs {
		run := &c.Runs[i]
		of := slices.IndexFunc(all, func(l contextLine) bool { return onlyLengthDiffers(l.runs[0], run) })
		if of < 0 {
			all = append(all, contextLine{runs: []*pairs.Run{run}})
		} else if !slices.ContainsFunc(all[of].runs, func(r *pairs.Run) bool { return r.Filler == run.Filler }) {
			all[of].runs = append(all[of].runs, run)
		}
	}
	all = slices.DeleteFunc(all, func(l contextLine) bool { return len(l.runs) < 2 })
	for i := range all {
		slices.SortFunc(all[i].runs, func(a, b *pairs.Run) int { return cmp.Compare(a.Filler, b.Filler) })
		first := all[i].runs[0]
		all[i].name = strings.TrimSuffix(first.Name, fmt.Sprintf(" filler %d", first.Filler)) // as a sweep names its candidates
	}
	return all
}

// onlyLengthDiffers says whether two runs are alike but for the other text before their prompts.
func onlyLengthDiffers(a, b *pairs.Run) bool {
	return !slices.ContainsFunc(a.Marked.Header.Differs(&b.Marked.Header), func(d journal.FieldDiff) bool {
		return d.Field != "filler" && !strings.HasPrefix(d.Field, "preambles.")
	})
}

// contextSection has the score of each line by its lengths.
func contextSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Score by length of context", ID: "score-by-context", Drawings: scoreByContext(c)}
	for _, l := range contextLines(c) {
		for _, run := range l.runs {
			if s.Table == nil {
				s.Table = &page.Grid{Head: []string{"", "other text", run.Headline.Name, intervalName(c), "items"}}
			}
			s.Table.Add(l.name, format.Several(run.Filler, "token"), format.Percent(run.Headline.Value), format.Bounds(run.Headline.CI),
				format.Count(run.Items))
		}
	}
	if s.Table != nil {
		s.Notes = []string{"other text stands before each prompt; each score's interval is its own, the pairs' are against " + c.Runs[0].Name}
	}
	return s
}

// divergences are the models that a score has the divergence of by context, by the names of their runs.
func divergences(c *pairs.Comparison) (names []string, all []*pairs.Distance) {
	add := func(name string, d *pairs.Distance) {
		if d != nil && len(d.ByContext) > 0 && !slices.Contains(all, d) { // runs of one model share one
			names, all = append(names, name), append(all, d)
		}
	}
	for i := range c.Pairs {
		if p := &c.Pairs[i]; p.Changed != nil {
			add(p.A, p.Changed.A)
			add(p.B, p.Changed.B)
		}
	}
	return names, all
}

// divergenceSection has each model's divergence by how many tokens stand before a token.
func divergenceSection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Divergence by length of context", ID: "divergence-by-context", Drawings: divergenceByContext(c)}
	names, all := divergences(c)
	for i, d := range all {
		if s.Table == nil {
			s.Table = &page.Grid{Head: []string{"", "tokens before", "mean KLD", intervalName(c), "tokens"}}
		}
		for _, x := range d.ByContext {
			s.Table.Add(names[i], format.Count(x.From)+"–"+format.Count(x.To), nat(x.MeanKLD), natSpan(x.MeanKLDCI), format.Count(x.Tokens))
		}
	}
	if s.Table != nil {
		s.Notes = []string{"nat a token, from " + c.Pairs[0].Changed.Reference + ", by how many tokens of prompt and completion stand before a token"}
	}
	return s
}

// scoreByContext draws the lines, with what guessing scores.
func scoreByContext(c *pairs.Comparison) []html.Drawing {
	var curves []html.Curve
	var lengths []int
	values := []float64{c.Runs[0].Headline.Baseline.Or(0)}
	lines := contextLines(c)
	for _, l := range lines {
		for _, run := range l.runs {
			lengths = append(lengths, run.Filler)
			values = append(values, run.Headline.Value.Or(0), run.Headline.CI.High)
		}
	}
	x := newLengthAxis(lengths)
	for _, l := range lines {
		curve := html.Curve{Name: l.name}
		for _, run := range l.runs {
			curve.Add(x.place(run.Filler), run.Headline.Value, run.Headline.CI)
		}
		curves = append(curves, curve)
	}
	guess := html.Curve{Name: "guessing", Dashed: true}
	guess.Add(x.Low, c.Runs[0].Headline.Baseline, stats.Interval{})
	guess.Add(x.High, c.Runs[0].Headline.Baseline, stats.Interval{})
	measure := strings.ReplaceAll(c.Runs[0].Headline.Name, "_", " ")
	plot := html.Plot{
		Caption: fmt.Sprintf("%s with its %s, by how much other text stands before each prompt", measure, intervalName(c)),
		Shows:   "score by context", X: x.Axis, Y: html.Shares(values...), XLabel: "tokens of other text", YLabel: measure,
	}
	return inPlots(plot, curves, guess)
}

// divergenceByContext draws the divergence of each model.
func divergenceByContext(c *pairs.Comparison) []html.Drawing {
	names, all := divergences(c)
	var ends []int
	var values []float64
	for _, d := range all {
		for _, x := range d.ByContext {
			ends = append(ends, x.To+1)
			values = append(values, x.MeanKLD.Or(0), x.MeanKLDCI.High)
		}
	}
	if len(all) == 0 {
		return nil
	}
	x := newLengthAxis(ends)
	var curves []html.Curve
	for i, d := range all {
		curve := html.Curve{Name: names[i]}
		for _, at := range d.ByContext {
			curve.Add(x.place(at.To+1), at.MeanKLD, at.MeanKLDCI)
		}
		curves = append(curves, curve)
	}
	return inPlots(html.Plot{
		Caption: fmt.Sprintf("mean KL divergence from %s with its %s, by how many tokens stand before a token: up to each mark, from half of it",
			c.Pairs[0].Changed.Reference, intervalName(c)),
		Shows: "divergence by context", X: x.Axis, Y: html.Counts(slices.Max(values), html.Plain), XLabel: "tokens before a token",
		YLabel: "mean KLD, nat a token",
	}, curves)
}

// inPlots draws curves in as many plots as it takes to tell them apart, each with those against which they stand.
func inPlots(plot html.Plot, curves []html.Curve, against ...html.Curve) []html.Drawing {
	var all []html.Drawing
	for some := range slices.Chunk(curves, html.MostCurves) {
		one := plot
		one.Curves = slices.Concat(some, against)
		all = append(all, one)
	}
	return all
}

// A lengthAxis is one of lengths in tokens, on which doubling a length is a step, and the shortest is a step from none.
type lengthAxis struct {
	html.Axis
	least float64 // length that is not 0
}

func newLengthAxis(lengths []int) lengthAxis {
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	a := lengthAxis{least: 1}
	if i := slices.IndexFunc(lengths, func(n int) bool { return n > 0 }); i >= 0 {
		a.least = float64(lengths[i])
	}
	for i, n := range lengths {
		at := a.place(n)
		if i == 0 {
			a.Low = at
		}
		a.High = at
		a.Ticks = append(a.Ticks, html.Tick{At: at, Label: format.Count(n)})
	}
	return a
}

// place is where a length is. It is a logarithm above the shortest length, and in proportion below.
func (a lengthAxis) place(n int) float64 {
	share := float64(n) / a.least
	if share < 1 {
		return share
	}
	return 1 + math.Log2(share)
}
