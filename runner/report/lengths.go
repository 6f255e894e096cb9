package report

import (
	"fmt"
	"strings"

	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

// optionSection has the items by the number of their options.
func (r document) optionSection() page.Section {
	var parts []part
	for _, o := range r.ByOptions {
		parts = append(parts, part{name: fmt.Sprint(o.Options), figures: o.Figures})
	}
	return r.partsSection("By number of options", "options", "score by number of options", parts)
}

// lengthSection has the items by the length of their prompts in tokens: 812–1,020.
func (r document) lengthSection() page.Section {
	var parts []part
	for _, l := range r.ByPromptLength {
		parts = append(parts, part{name: format.Count(l.From) + "–" + format.Count(l.To), figures: l.Figures})
	}
	return r.partsSection("By length of prompt", "tokens", "score by length of prompt; each line has a fifth of the items", parts)
}

// partsSection has a line for each part; nothing where there are none.
func (r document) partsSection(title, column, caption string, parts []part) page.Section {
	s := page.Section{Title: title, Fold: "every figure " + strings.ToLower(title)}
	if len(parts) > 0 {
		drawing := r.strips(column, caption, parts)
		drawing.Shows = "score " + strings.ToLower(title)
		s.Table, s.Drawings = r.figureTable(column, parts), []page.Drawing{drawing}
	}
	return s
}
