package compare

import (
	"fmt"
	"slices"

	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

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
