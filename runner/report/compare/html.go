package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"proctor/runner/mark/pairs"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
	"proctor/runner/report/plots"
)

// writeHTML writes a file for a browser: the verdict, every figure with what can be drawn of it, and the answers that changed, which
// are read from the runs' journals again.
func writeHTML(w io.Writer, c *pairs.Comparison) error {
	var out html.Document
	laid := fullPage(c)
	head := html.Head{Kind: "comparison", Alert: laid.Alert, Title: laid.Title, Verdict: headline(c), Notices: laid.Notices}
	if len(c.Pairs) == 1 {
		head.Decides = c.Pairs[0].Advice.Lines(&c.Pairs[0])
	}
	if r := c.Recommendation; r != nil {
		head.Decides = slices.Concat(r.Lines(), []string{c.Verdict}, head.Decides,
			[]string{asksOther + "; both in " + c.Pairs[0].MeasureName()})
	}
	out.Begin(head, partsOf(c, laid.Footnotes), html.Link{Href: "#flips", Text: "Flips"})
	if err := browse(c, &out); err != nil {
		return err
	}
	return out.Write(w)
}

// headline is the recommendation, else the verdict, with a capital. A run's name that opens it stays as it is.
func headline(c *pairs.Comparison) string {
	if c.Recommendation != nil {
		return c.Recommendation.Headline()
	}
	if slices.ContainsFunc(c.Runs, func(r pairs.Run) bool { return strings.HasPrefix(c.Verdict, r.Name+" ") }) {
		return c.Verdict
	}
	return strings.ToUpper(c.Verdict[:1]) + c.Verdict[1:]
}

// Figures are what an HTML comparison draws, for files of their own.
func Figures(c *pairs.Comparison) []plots.Figure { return plots.Of(partsOf(c, nil)) }

// partsOf are those of the document, in their order.
func partsOf(c *pairs.Comparison, footnotes []string) []html.Part {
	change := changePart(c)
	change.Notes = footnotes
	parts := []html.Part{placePart(c), change}
	if len(c.Pairs) > 1 {
		parts = append(parts, partOf("", pairSection(c)))
	}
	for i := range c.Pairs {
		parts = append(parts, pairPart(&c.Pairs[i], c, fmt.Sprintf("pair-%d", i+1)))
	}
	lengths := partOf("", lengthSection(c))
	if len(lengths.Sections) > 0 {
		lengths.Drawings = lengthDrawings(c)
	}
	parts = append(parts, contextParts(c)...)
	return append(parts, partOf("consistency", consistencySection(c)), lengths, partOf("", floorSection(c)), partOf("", rateSection(c)))
}

// partOf is a section as a part of its own.
func partOf(id string, s page.Section) html.Part {
	p := html.PartOf(s)
	if p.ID = id; s.Table == nil && len(s.Facts) == 0 {
		p.Sections = nil
	}
	return p
}

// placePart draws every run's score against its speed.
func placePart(c *pairs.Comparison) html.Part {
	p := partOf("", runTable(c, false))
	p.ID, p.Drawings = "score-and-speed", placeDrawing(c)
	whole := runSection(c)
	whole.Notes = nil
	p.Folded, p.Fold = []page.Section{whole}, "what the scores are of, and the runs' journals"
	return p
}

// changePart draws how much pairs change against which way.
func changePart(c *pairs.Comparison) html.Part {
	p := html.Part{Title: "Volume and direction of change", Drawings: []html.Drawing{volumeDrawing(c)}}
	if several := changedSection(c); several.Table != nil {
		p.Sections = []page.Section{several}
	} else if facts := halves(&c.Pairs[0], c); len(c.Pairs) == 1 && len(facts) > 0 {
		p.Sections = []page.Section{{Facts: facts}}
	}
	return p
}

// pairPart is one pair's.
func pairPart(p *pairs.Pair, c *pairs.Comparison, id string) html.Part {
	part := partOf(id, pairFigures(p, c))
	if probabilities := probabilitySection(p, c); probabilities.Table != nil {
		part.Sections = append(part.Sections, probabilities)
	}
	part.Drawings = []html.Drawing{subjectDrawing(p, c)}
	if rules := ruleSection(p, c); rules.Table != nil {
		part.Sections = append(part.Sections, rules)
	}
	if subjects := subjectSection(p, c); subjects.Table != nil {
		part.Folded, part.Fold = []page.Section{subjects}, "every figure by subject"
		part.Notes = slices.Clone(subjects.Notes)
		part.Folded[0].Notes = nil
	}
	return part
}
