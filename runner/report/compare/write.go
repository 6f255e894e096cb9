package compare

import (
	"io"

	"proctor/runner/mark/pairs"
	"proctor/runner/report/page"
)

// Formats are the ways of writing a comparison, the default first: text and markdown are short, csv has one line a run, html is for a
// browser.
var Formats = formatsOf(shortPage)

// Full are the same with everything in text and markdown, too.
var Full = formatsOf(fullPage)

func formatsOf(layOut func(*pairs.Comparison) page.Page) page.Formats[*pairs.Comparison] {
	return append(page.FormatsOf(layOut),
		page.Format[*pairs.Comparison]{Name: "csv", Ext: ".csv", Write: writeWide},
		page.Format[*pairs.Comparison]{Name: "html", Ext: ".html", Write: writeHTML})
}

// writeWide writes each run's own figures, and beside them, from the second run on, those of its pair with the first.
func writeWide(w io.Writer, c *pairs.Comparison) error {
	var out page.Wide
	for i := range c.Runs {
		line := out.Cells(&c.Runs[i], []string{"name", "run", "rule_set", "items", "errors", "answered", "headline.name",
			"headline.value", "headline.ci.low", "headline.ci.high", "headline.baseline"})
		if i > 0 {
			for _, cell := range out.Cells(&c.Pairs[i-1], []string{"a", "b", "decision", "verdict", "difference", "difference_ci.low",
				"difference_ci.high", "p_value", "p_adjusted", "flips", "right_to_wrong", "wrong_to_right", "non_inferior"},
				"subjects", "rules", "warnings") {
				line = append(line, page.Cell{Name: "pair." + cell.Name, Value: cell.Value})
			}
		}
		out.Add(line...)
	}
	return out.Write(w)
}
