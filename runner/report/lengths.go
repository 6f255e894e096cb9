package report

import (
	"fmt"

	"proctor/runner/metrics"
	"proctor/runner/page"
	"proctor/runner/words"
)

func (r document) optionSection() page.Section {
	s := page.Section{Title: "By number of options"}
	if len(r.ByOptions) == 0 {
		return s
	}
	var parts []part
	for _, o := range r.ByOptions {
		parts = append(parts, part{name: fmt.Sprint(o.Options), figures: o.Figures})
	}
	s.Table = r.figureTable("options", parts)
	return s
}

// lengthSection is the same by the length of prompts.
func (r document) lengthSection() page.Section {
	s := page.Section{Title: "By length of prompt"}
	if len(r.ByPromptLength) == 0 {
		return s
	}
	var parts []part
	for _, l := range r.ByPromptLength {
		parts = append(parts, part{name: tokensOf(l), figures: l.Figures})
	}
	s.Table = r.figureTable("tokens", parts)
	return s
}

// tokensOf are the lengths of a part's prompts: 812–1,020.
func tokensOf(l metrics.PromptLength) string { return words.Count(l.From) + "–" + words.Count(l.To) }
