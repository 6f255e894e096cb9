package compare

import (
	"io"
	"slices"
	"strings"

	"proctor/runner/mark/pairs"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// Formats are the formats of a comparison, the default first. text and markdown are short, csv has a line per run, html is for a browser.
var Formats = formatsOf(shortPage, writeWide, writeHTML)

// Full are the same formats, with everything in text and markdown, too.
var Full = formatsOf(fullPage, writeWide, writeHTML)

func formatsOf[T any](layOut func(T) page.Page, csv, html func(io.Writer, T) error) page.Formats[T] {
	return append(page.FormatsOf(layOut), page.Format[T]{Name: "csv", Ext: ".csv", Write: csv}, page.Format[T]{Name: "html", Ext: ".html", Write: html})
}

// writeWide writes each run's own figures and, from the second run on, those of its pair with the first.
func writeWide(w io.Writer, c *pairs.Comparison) error {
	var out page.Wide
	for i := range c.Runs {
		line := runCells(&out, &c.Runs[i])
		if i > 0 {
			line = append(line, pairCells(&out, &c.Pairs[i-1])...)
		}
		out.Add(line...)
	}
	return out.Write(w)
}

func runCells(out *page.Wide, run *pairs.Run) []page.Cell {
	return out.Cells(run, []string{"name", "run", "rule_set", "items", "errors", "answered", "headline.name",
		"headline.value", "headline.ci.low", "headline.ci.high", "headline.baseline"})
}

func pairCells(out *page.Wide, p *pairs.Pair) (line []page.Cell) {
	for _, cell := range out.Cells(p, []string{"a", "b", "decision", "verdict", "difference", "difference_ci.low",
		"difference_ci.high", "p_value", "p_adjusted", "flips", "right_to_wrong", "wrong_to_right", "non_inferior"},
		"subjects", "rules", "warnings") {
		line = append(line, page.Cell{Name: "pair." + cell.Name, Value: cell.Value})
	}
	return line
}

// writeHTML writes a file for a browser: the verdict, every figure with its drawings, and the answers that changed, for which it reads the
// runs' journals again.
func writeHTML(w io.Writer, c *pairs.Comparison) error {
	var out html.Document
	laid := fullPage(c)
	head := html.Head{Kind: "comparison", Alert: laid.Alert, Title: laid.Title, Verdict: headline(c), Notices: laid.Notices}
	if advice := c.Pairs[0].Advice; len(c.Pairs) == 1 && advice != "" {
		head.Decides = []string{advice}
	}
	out.Begin(head, inBrowser(c), html.Link{Href: "#flips", Text: "Flips"})
	if err := browse(c, &out); err != nil {
		return err
	}
	return out.Write(w)
}

// headline is the verdict with a capital first letter, unless a run's name opens it.
func headline(c *pairs.Comparison) string {
	if slices.ContainsFunc(c.Runs, func(r pairs.Run) bool { return strings.HasPrefix(c.Verdict, r.Name+" ") }) {
		return c.Verdict
	}
	return strings.ToUpper(c.Verdict[:1]) + c.Verdict[1:]
}

// inBrowser returns the sections in the browser's order: the runs come first, and a single pair's figures join what changed.
func inBrowser(c *pairs.Comparison) []page.Section {
	all := sections(c)
	change := &all[0]
	if len(c.Pairs) == 1 {
		change.Facts = halves(&c.Pairs[0], c)
	}
	change.Notes = append(change.Notes, footnotes(c)...)
	all[0], all[1] = all[1], all[0]
	return all
}
