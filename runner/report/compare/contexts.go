package compare

import (
	"cmp"
	"fmt"
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
	var curves []html.LengthCurve
	for _, l := range contextLines(c) {
		curve := html.LengthCurve{Name: l.name}
		for _, run := range l.runs {
			curve.Points = append(curve.Points, html.LengthPoint{Length: run.Filler, Value: run.Headline.Value, Interval: run.Headline.CI})
		}
		curves = append(curves, curve)
	}
	measure := strings.ReplaceAll(c.Runs[0].Headline.Name, "_", " ")
	return html.ByLength(html.Plot{
		Caption: fmt.Sprintf("%s with its %s, by how much other text stands before each prompt", measure, intervalName(c)),
		Shows:   "score by context", XLabel: "tokens of other text", YLabel: measure,
	}, html.Shares, c.Runs[0].Headline.Baseline, curves...)
}

// divergenceByContext draws the divergence of each model.
func divergenceByContext(c *pairs.Comparison) []html.Drawing {
	names, all := divergences(c)
	if len(all) == 0 {
		return nil
	}
	var curves []html.LengthCurve
	for i, d := range all {
		curve := html.LengthCurve{Name: names[i]}
		for _, x := range d.ByContext {
			curve.Points = append(curve.Points, html.LengthPoint{Length: x.To + 1, Value: x.MeanKLD, Interval: x.MeanKLDCI})
		}
		curves = append(curves, curve)
	}
	return html.ByLength(html.Plot{
		Caption: fmt.Sprintf("mean KL divergence from %s with its %s, by how many tokens stand before a token: up to each mark, from half of it",
			c.Pairs[0].Changed.Reference, intervalName(c)),
		Shows: "divergence by context", XLabel: "tokens before a token", YLabel: "mean KLD, nat a token",
	}, func(values ...float64) html.Axis { return html.Counts(slices.Max(values), html.Plain) }, stats.Undefined, curves...)
}
