package report

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// scale draws the headline on a line of its own, and on lines below what it is held against.
func (d drawn) scale() html.Drawing {
	h := d.Headline
	s := html.Strips{
		Caption: d.headline(spelled(h.Name)) + " with its " + d.confidence(),
		Head:    []string{""},
		Rows:    []html.Strip{{Name: fmt.Sprintf("%s (%s)", format.Percent(h.Value), format.Bounds(h.CI)), Value: h.Value, Interval: h.CI}},
		Legend: []html.Sign{{Kind: html.Estimate, Text: "estimate"}, {Kind: html.Interval, Text: "interval"},
			{Kind: html.Against, Text: "baseline"}},
	}
	against := func(name string, score stats.Number) {
		if score.Defined() {
			s.Rows = append(s.Rows, html.Strip{Name: name + ", " + format.Percent(score), Baseline: score})
		}
	}
	against("guessing", h.Baseline)
	switch {
	case d.Binary != nil:
	case d.Circular != nil:
		against("one option in every order", d.Circular.Metric(h.Name).Guess.Content)
	default:
		if c := d.Baseline.Constant; c != nil {
			against("always "+c.Letter, c.Accuracy)
		}
		against("nominal", stats.Of(d.Baseline.Nominal))
	}
	s.Axis = s.Shares()
	return s
}

// strips draw the headline of parts of the run.
func (d drawn) strips(first, caption string, parts []part) html.Strips {
	own, _ := task.Lookup(d.Task)
	s := html.Strips{Caption: caption, Head: []string{first, spelled(d.Headline.Name), d.confidence(), "items"}}
	if d.Circular == nil {
		s.Head = append(s.Head, "guessing")
	}
	for _, p := range parts {
		value, interval, chance := headlineOf(own, p.figures)
		row := html.Strip{Name: p.name, Value: value, Interval: interval, Baseline: chance, Strong: p.strong,
			Cells: []string{format.Percent(value), format.Bounds(interval), format.Count(p.figures.Scored())}}
		if d.Circular == nil {
			row.Cells = append(row.Cells, format.Percent(chance))
		}
		if d.run != nil {
			row.Link = p.link
		}
		s.Rows = append(s.Rows, row)
	}
	s.Axis = s.Shares()
	s.Legend = []html.Sign{{Kind: html.Estimate, Text: spelled(d.Headline.Name)}, {Kind: html.Interval, Text: d.confidence()},
		{Kind: html.Against, Text: "guessing, of the same items"}}
	return s
}

func (d drawn) subjectPart() html.Part {
	section := d.subjectSection()
	p := html.Part{Title: "Subjects", Warnings: section.Warnings, Fold: "every figure by subject"}
	if len(d.Subjects) == 0 {
		return p
	}
	var parts []part
	for _, s := range d.Subjects {
		parts = append(parts, part{name: s.Subject, figures: s.Figures, link: place("subject", s.Subject)})
	}
	parts = append(parts, part{name: "all", figures: d.Rules[d.RuleOrder[0]].Figures, strong: true})
	p.Drawings = []html.Drawing{d.strips("subject", "each subject beside what guessing scores of its own questions", parts)}
	section.Warnings = nil
	p.Folded = []page.Section{section}
	if cost := d.costSection(); cost.Table != nil {
		p.Folded = append(p.Folded, cost)
	}
	return p
}

// place is the link that has the browser of items show those with a value.
func place(name, value string) string { return "#" + url.Values{name: {value}}.Encode() }

// failurePart says what failed, why, what to do about it, and which items to look at.
func (d drawn) failurePart() html.Part {
	p := html.Part{Title: "Failures"}
	list := html.Listing{Head: []string{"", "items", "share", "what it means", "what to do", "examples"}}
	add := func(filter, name string, n int, is func(results.Answer) bool) {
		if n == 0 {
			return
		}
		e := grade.Explain(name)
		title := html.Cell{Text: grade.InWords(name)}
		examples := html.Cell{}
		if d.run != nil {
			title = html.Cell{Links: []html.Link{{Href: place(filter, name), Text: grade.InWords(name)}}}
			for _, id := range d.examples(is) {
				examples.Links = append(examples.Links, html.Link{Href: place("item", id), Text: strings.TrimPrefix(id, d.Task+"/")})
			}
		}
		list.Rows = append(list.Rows, []html.Cell{title, {Text: format.Count(n)}, {Text: format.Percent(stats.Ratio(n, d.Items))},
			{Text: e.Means}, {Text: e.Remedy}, examples})
	}
	for _, tag := range grade.Tags {
		add("outcome", string(tag), d.FailureCounts[string(tag)], func(a results.Answer) bool { return a.Tag == tag })
	}
	for _, cause := range slices.Sorted(maps.Keys(d.Causes)) {
		add("cause", cause, d.Causes[cause], func(a results.Answer) bool { return string(a.Mark.Cause) == cause })
	}
	if len(list.Rows) > 0 {
		p.Drawings = []html.Drawing{list}
	}
	section := d.failureSection()
	section.Title, section.Notes = "", nil
	p.Folded, p.Fold = []page.Section{section}, "every tag and cause"
	if len(list.Rows) == 0 {
		p.Sections, p.Folded = []page.Section{section}, nil
	}
	return p
}

// examples are the ids of the first items of which something holds.
func (d drawn) examples(is func(results.Answer) bool) []string {
	var ids []string
	for a := range d.run.View(0).Answers() {
		if is(a) && len(ids) < 3 {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

func (d drawn) rulePart() html.Part {
	section := d.ruleSection()
	p := html.Part{Title: "Rule sets", Warnings: section.Warnings, Notes: section.Notes, Fold: "every figure by rule set"}
	var parts []part
	for i, name := range d.RuleOrder {
		parts = append(parts, part{name: name, figures: d.Rules[name].Figures, strong: i == 0})
	}
	p.Drawings = []html.Drawing{d.strips("rule set", "the same completions, marked by each rule set", parts)}
	section.Warnings, section.Notes = nil, nil
	p.Folded = []page.Section{section}
	return p
}

func (d drawn) letterPart() html.Part {
	section := d.letterSection()
	p := html.Part{Title: "Letters", Warnings: section.Warnings, Notes: section.Notes}
	if section.Table == nil {
		return p
	}
	s := html.Strips{
		Caption: "how often each letter was picked, beside how often it is gold", Bars: true,
		Head:   section.Table.Head,
		Legend: []html.Sign{{Kind: html.Bar, Text: "picked, of the answered items"}, {Kind: html.Against, Text: "gold"}},
	}
	for i, l := range d.Letters.Counts {
		row := html.Strip{Name: l.Letter, Value: l.PickedShare, Baseline: l.GoldShare, Cells: section.Table.Rows[i][1:]}
		if d.run != nil && l.Picked > 0 {
			row.Link = place("letter", l.Letter)
		}
		s.Rows = append(s.Rows, row)
	}
	s.Axis = s.Shares()
	p.Drawings = []html.Drawing{s}
	return p
}

// lengthPart draws the score by how long prompts are and how many options questions have.
func (d drawn) lengthPart() html.Part {
	p := html.Part{Title: "Prompts and options", Fold: "every figure by length and by number of options"}
	for _, by := range []struct {
		first, caption, shows string
		parts                 []part
		section               page.Section
	}{
		{"prompt's tokens", "by the length of the prompt, a fifth of the items each", "score by length of prompt", d.lengths(),
			d.lengthSection()},
		{"options", "by the number of options", "score by number of options", d.optionCounts(), d.optionSection()},
	} {
		if len(by.parts) > 0 {
			drawing := d.strips(by.first, by.caption, by.parts)
			drawing.Shows = by.shows
			p.Drawings, p.Folded = append(p.Drawings, drawing), append(p.Folded, by.section)
		}
	}
	return p
}
