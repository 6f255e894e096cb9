package divergence

import (
	"fmt"
	"io"

	"proctor/runner/mark/divergence"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// writeHTML writes the score for a browser: of each model the divergence, or without a reference the perplexity, by
// context and by subject, drawn, and all figures of the pages for people.
func writeHTML(w io.Writer, s *divergence.Score) error {
	var all []page.Section
	add := func(of groups, drawn *page.Section) {
		section := of.section(s)
		section.Below, section.Fold = true, "every figure, "+of.caption
		if drawn == nil {
			drawn, section.Below = &section, false
		}
		drawn.Drawings = append(drawn.Drawings, strips(s, of))
		all = append(all, section)
	}
	if len(s.Models) > 1 {
		add(models(s), nil)
	}
	for _, m := range s.Models {
		at := len(all)
		all = append(all, section(s, m))
		for _, of := range parts(m) {
			add(of, &all[at])
		}
	}
	var out html.Document
	out.Begin(html.Head{Kind: "score", Title: titled(s).Title, Notices: s.Warnings}, all)
	return out.Write(w)
}

// strips draws one figure of several groups as strips.
func strips(s *divergence.Score, g groups) html.Drawing {
	name, shown := "Mean KLD", format.Nat
	of := func(f *divergence.Figures) (stats.Number, stats.Interval) { return f.MeanKLD, f.MeanKLDCI }
	if s.Reference == nil {
		name, shown = "PPL", func(n stats.Number) string { return html.Plain(n.Or(0)) }
		of = func(f *divergence.Figures) (stats.Number, stats.Interval) { return f.PPL, f.PPLCI }
	}
	confidence := format.Confidence(s.Confidence)
	strips := html.Strips{Caption: fmt.Sprintf("%s, %s", name, g.caption),
		Head:   []string{g.first, name, confidence, "tokens"},
		Legend: []html.Sign{{Kind: html.Estimate, Text: name}, {Kind: html.Interval, Text: confidence}}}
	most := 0.0
	for _, r := range g.rows {
		value, interval := of(r.Figures)
		most = max(most, value.Or(0), interval.High)
		number := format.Undefined
		if value.Defined() {
			number = shown(value)
		}
		strips.Rows = append(strips.Rows, html.Strip{Name: r.name, Value: value, Interval: interval,
			Cells: []string{number, format.Ends(interval, format.Undefined, "–", shown), format.Count(r.Tokens)}})
	}
	strips.Axis = html.Counts(most, html.Plain)
	return strips
}
