package score

import (
	"fmt"
	"io"

	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// writeHTML writes the score for a browser: of each model the divergence, or without a reference the perplexity, by context and by
// subject, drawn, and all figures of the pages for people.
func writeHTML(w io.Writer, s *Score) error {
	p := s.page()
	var parts []html.Part
	if len(s.Models) > 1 {
		var rows []row
		for _, m := range s.Models {
			rows = append(rows, row{m.Info.Ref, &m.Figures})
		}
		parts = append(parts, html.Part{Title: "Models", Drawings: []html.Drawing{s.strips("model", "all tokens of each model", rows)},
			Folded: []page.Section{s.overview()}, Fold: "every model's figures"})
	}
	for _, m := range s.Models {
		parts = append(parts, s.modelPart(m))
	}
	var out html.Document
	out.Begin(html.Head{Kind: "score", Title: p.Title, Notices: s.Warnings}, parts)
	return out.Write(w)
}

// modelPart is one model's.
func (s *Score) modelPart(m *Model) html.Part {
	section := s.section(m)
	part := html.Part{Title: section.Title, Warnings: section.Warnings, Fold: "every figure by subject and by context"}
	section.Warnings = nil
	part.Sections = []page.Section{section}
	var contexts, subjects []row
	for i := range m.ByContext {
		c := &m.ByContext[i]
		contexts = append(contexts, row{format.Count(c.From) + "–" + format.Count(c.To), &c.Figures})
	}
	for i := range m.Subjects {
		subjects = append(subjects, row{m.Subjects[i].Subject, &m.Subjects[i].Figures})
	}
	if len(contexts) > 0 {
		part.Drawings = append(part.Drawings, s.strips("tokens before", "by how many tokens stand before a token", contexts))
		part.Folded = append(part.Folded, m.contextSection())
	}
	if len(subjects) > 1 {
		part.Drawings = append(part.Drawings, s.strips("subject", "by subject", subjects))
		part.Folded = append(part.Folded, m.subjectSection())
	}
	return part
}

// A row is a line of what is drawn.
type row struct {
	name string
	*Figures
}

// strips draw what some figures have in common.
func (s *Score) strips(first, caption string, rows []row) html.Drawing {
	name, shown := "Mean KLD", natural
	of := func(f *Figures) (stats.Number, stats.Interval) { return f.MeanKLD, f.MeanKLDCI }
	if s.Reference == nil {
		name, shown = "PPL", html.Plain
		of = func(f *Figures) (stats.Number, stats.Interval) { return f.PPL, f.PPLCI }
	}
	confidence := format.Confidence(s.Confidence)
	strips := html.Strips{Caption: fmt.Sprintf("%s, %s", name, caption), Head: []string{first, name, confidence, "tokens"},
		Legend: []html.Sign{{Kind: html.Estimate, Text: name}, {Kind: html.Interval, Text: confidence}}}
	most := 0.0
	for _, r := range rows {
		value, interval := of(r.Figures)
		most = max(most, value.Or(0))
		bounds := format.Undefined
		if !interval.IsZero() {
			most = max(most, interval.High)
			bounds = shown(interval.Low) + "–" + shown(interval.High)
		}
		number := format.Undefined
		if x, known := value.Get(); known {
			number = shown(x)
		}
		strips.Rows = append(strips.Rows, html.Strip{Name: r.name, Value: value, Interval: interval,
			Cells: []string{number, bounds, format.Count(r.Tokens)}})
	}
	strips.Axis = html.Counts(most, html.Plain)
	return strips
}
