package compare

import (
	"fmt"
	"io"
	"slices"

	"proctor/runner/mark/format"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
	"proctor/runner/report/plots"
)

// writeHTML writes a file for a browser: the verdict, every figure with what can be drawn of it, and the answers that changed, which
// are read from the runs' journals again.
func writeHTML(w io.Writer, c *Comparison) error {
	var out html.Document
	laid := c.page()
	head := html.Head{Kind: "comparison", Title: laid.Title, Verdict: c.Verdict, Notices: laid.Notices}
	if len(c.Pairs) == 1 {
		head.Decides = c.Pairs[0].Advice.lines(&c.Pairs[0])
	}
	if r := c.Recommendation; r != nil {
		head.Verdict, head.Decides = r.Sentence, slices.Concat(r.lines(), []string{c.Verdict}, head.Decides)
	}
	out.Begin(head, c.parts(laid.Footnotes), html.Link{Href: "#flips", Text: "Flips"})
	if err := c.browse(&out); err != nil {
		return err
	}
	out.Body = append(out.Body, html.End)
	return out.Write(w)
}

// Figures are what an HTML comparison draws, for files of their own.
func (c *Comparison) Figures() []plots.Figure { return plots.Of(c.parts(nil)) }

// parts are those of the document, in their order.
func (c *Comparison) parts(footnotes []string) []html.Part {
	change := c.changePart()
	change.Notes = footnotes
	parts := []html.Part{c.placePart(), change}
	for i := range c.Metrics {
		parts = append(parts, html.Part{Title: c.Metrics[i].Name, Sections: []page.Section{c.Metrics[i].section(c)}})
	}
	if len(c.Pairs) > 1 {
		parts = append(parts, partOf("", c.pairSection()))
	}
	for i := range c.Pairs {
		parts = append(parts, c.Pairs[i].part(c, fmt.Sprintf("pair-%d", i+1)))
	}
	return append(parts, c.lengthPart(), partOf("", c.floorSection()), partOf("", c.rateSection()))
}

// partOf is a section as a part of its own.
func partOf(id string, s page.Section) html.Part {
	p := html.Part{ID: id, Title: s.Title, Warnings: s.Warnings}
	if s.Warnings = nil; s.Table != nil || len(s.Facts) > 0 {
		p.Sections = []page.Section{s}
	}
	return p
}

// placePart draws every run's score against its speed.
func (c *Comparison) placePart() html.Part {
	p := partOf("", c.runSection())
	p.ID, p.Drawings = "score-and-speed", c.placeDrawing()
	return p
}

// changePart draws how much pairs change against which way.
func (c *Comparison) changePart() html.Part {
	p := html.Part{Title: "Volume and direction of change", Drawings: []html.Drawing{c.volumeDrawing()}}
	if halves := c.changedSection(); halves.Table != nil {
		p.Sections = []page.Section{halves}
	} else if facts := c.Pairs[0].halves(c); len(c.Pairs) == 1 && len(facts) > 0 {
		p.Sections = []page.Section{{Facts: facts}}
	}
	return p
}

// lengthPart draws how much the runs write.
func (c *Comparison) lengthPart() html.Part {
	p := partOf("", c.lengthSection())
	if len(p.Sections) == 0 {
		return p
	}
	p.Drawings = c.lengthDrawings()
	return p
}

// part is one pair's.
func (p *Pair) part(c *Comparison, id string) html.Part {
	section := p.section(c)
	part := partOf(id, section)
	if probabilities := p.probabilitySection(c); probabilities.Table != nil {
		part.Sections = append(part.Sections, probabilities)
	}
	if len(part.Sections) > 1 {
		part.Sections[0].Title = ""
	}
	part.Drawings = []html.Drawing{p.subjectDrawing(c)}
	if rules := p.ruleSection(c); rules.Table != nil {
		part.Sections = append(part.Sections, rules)
	}
	if subjects := p.subjectSection(c); subjects.Table != nil {
		part.Folded, part.Fold = []page.Section{subjects}, "every figure by subject"
		part.Notes = slices.Clone(subjects.Notes)
		part.Folded[0].Notes = nil
	}
	return part
}

// perMinute is a run's speed for people.
func (r *Run) perMinute() string { return format.Decimal(r.Speed.PerMinute, 1, 1, "") }
