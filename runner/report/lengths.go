package report

import (
	"fmt"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/page"
)

func (r document) optionSection() page.Section {
	var parts []part
	for _, o := range r.ByOptions {
		parts = append(parts, part{name: fmt.Sprint(o.Options), figures: o.Figures})
	}
	return r.partsSection("By number of options", "options", parts)
}

func (r document) lengthSection() page.Section {
	var parts []part
	for _, l := range r.ByPromptLength {
		parts = append(parts, part{name: tokensOf(l), figures: l.Figures})
	}
	return r.partsSection("By length of prompt", "tokens", parts)
}

// partsSection has a line for each part; nothing where there are none.
func (r document) partsSection(title, column string, parts []part) page.Section {
	s := page.Section{Title: title}
	if len(parts) > 0 {
		s.Table = r.figureTable(column, parts)
	}
	return s
}

// tokensOf are the lengths of a part's prompts: 812–1,020.
func tokensOf(l metrics.PromptLength) string {
	return format.Count(l.From) + "–" + format.Count(l.To)
}
