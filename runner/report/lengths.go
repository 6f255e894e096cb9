package report

import (
	"fmt"

	"proctor/runner/mark/format"
	"proctor/runner/report/page"
)

func (r document) optionSection() page.Section {
	return r.partsSection("By number of options", "options", r.optionCounts())
}

// optionCounts are the items by the number of their options.
func (r document) optionCounts() (parts []part) {
	for _, o := range r.ByOptions {
		parts = append(parts, part{name: fmt.Sprint(o.Options), figures: o.Figures})
	}
	return parts
}

func (r document) lengthSection() page.Section {
	return r.partsSection("By length of prompt", "tokens", r.lengths())
}

// lengths are the items by the length of their prompts in tokens: 812–1,020.
func (r document) lengths() (parts []part) {
	for _, l := range r.ByPromptLength {
		parts = append(parts, part{name: format.Count(l.From) + "–" + format.Count(l.To), figures: l.Figures})
	}
	return parts
}

// partsSection has a line for each part; nothing where there are none.
func (r document) partsSection(title, column string, parts []part) page.Section {
	s := page.Section{Title: title}
	if len(parts) > 0 {
		s.Table = r.figureTable(column, parts)
	}
	return s
}
