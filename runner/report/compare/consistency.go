package compare

import (
	"fmt"

	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/pairs"
	"proctor/runner/report/page"
)

// promptsDiffer says whether the runs asked the same model in several ways, of which one wants to know how much depends on the way.
func promptsDiffer(c *pairs.Comparison) bool {
	if c.Consistency == nil {
		return false
	}
	asked := func(h *journal.Header) [7]string {
		return [7]string{h.Style, fmt.Sprint(h.Shots), h.PromptMode, h.System, h.ChatTemplate.Digest(), string(h.TemplateArguments),
			fmt.Sprint(h.Filler)}
	}
	first := asked(&c.Runs[0].Marked.Header)
	for i := range c.Runs {
		if asked(&c.Runs[i].Marked.Header) != first {
			return true
		}
	}
	return false
}

// alikeIn says in a line how often all runs answer alike.
func alikeIn(c *pairs.Comparison) string {
	k := c.Consistency
	return fmt.Sprintf("consistency: the same letter under all %s on %s of %s (%s, %s), of which %s right",
		format.Several(len(c.Runs), "run"), format.Percent(k.Rate), format.Several(k.Questions, "question"), intervalName(c),
		format.Bounds(k.CI), format.Count(k.SameRight))
}

// consistencySection says how often the runs answer alike, rightly or not.
func consistencySection(c *pairs.Comparison) page.Section {
	s := page.Section{Title: "Consistency"}
	k := c.Consistency
	if k == nil {
		return s
	}
	s.Facts.Add("same letter", format.Percent(k.Rate), fmt.Sprintf("under all %s, on %s of %s; %s %s", format.Several(len(c.Runs), "run"),
		format.Count(k.Same), format.Several(k.Questions, "question"), intervalName(c), format.Bounds(k.CI)))
	s.Facts.Add("and right", format.Count(k.SameRight), "of those")
	s.Facts.Add("agreement", format.Percent(k.Agreement), fmt.Sprintf("share of pairs of runs that answer a question alike; %s %s", intervalName(c),
		format.Bounds(k.AgreementCI)))
	s.Notes = []string{"missing answers agree with none; only questions that every run answered in all items count"}
	return s
}
