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

// writeHTML writes the score for a browser: of each model the divergence, or without a reference the perplexity, by context and by
// subject, drawn, and all figures of the pages for people.
func writeHTML(w io.Writer, s *divergence.Score) error {
	p := full(s)
	var parts []page.Section
	if len(s.Models) > 1 {
		var rows []row
		for _, m := range s.Models {
			rows = append(rows, row{m.Info.Ref, &m.Figures})
		}
		models := overview(s)
		models.Title, models.Fold = "Models", "every model's figures"
		models.Drawings = []page.Drawing{strips(s, "model", "all tokens of each model", rows)}
		parts = append(parts, models)
	}
	for _, m := range s.Models {
		parts = append(parts, modelParts(s, m)...)
	}
	var out html.Document
	out.Begin(html.Head{Kind: "score", Title: p.Title, Notices: s.Warnings}, parts)
	return out.Write(w)
}

// modelParts are one model's.
func modelParts(s *divergence.Score, m *divergence.Model) []page.Section {
	all := []page.Section{section(s, m)}
	for _, by := range []struct {
		title, first, fold, caption string
		rows                        []row
	}{
		{"By context", "tokens before", "every figure by context", "by how many tokens stand before a token", contexts(m)},
		{"Subjects", "subject", "every figure by subject", "by subject", subjects(m)},
	} {
		if len(by.rows) > 1 {
			section := parts(m, by.title, by.first, by.rows)
			section.Below, section.Fold = true, by.fold
			all[0].Drawings = append(all[0].Drawings, strips(s, by.first, by.caption, by.rows))
			all = append(all, section)
		}
	}
	return all
}

// strips draws one figure of several rows as strips.
func strips(s *divergence.Score, first, caption string, rows []row) html.Drawing {
	name, shown := "Mean KLD", format.Nat
	of := func(f *divergence.Figures) (stats.Number, stats.Interval) { return f.MeanKLD, f.MeanKLDCI }
	if s.Reference == nil {
		name, shown = "PPL", func(n stats.Number) string { return html.Plain(n.Or(0)) }
		of = func(f *divergence.Figures) (stats.Number, stats.Interval) { return f.PPL, f.PPLCI }
	}
	confidence := format.Confidence(s.Confidence)
	strips := html.Strips{Caption: fmt.Sprintf("%s, %s", name, caption), Head: []string{first, name, confidence, "tokens"},
		Legend: []html.Sign{{Kind: html.Estimate, Text: name}, {Kind: html.Interval, Text: confidence}}}
	most := 0.0
	for _, r := range rows {
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
