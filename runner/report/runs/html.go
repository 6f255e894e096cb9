package runs

import (
	_ "embed"
	"io"
	"net/url"
	"path/filepath"

	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

//go:embed assets/board.css
var boardStyle string

//go:embed assets/board.js
var boardScript string

// HTML writes a page for a browser that lies in a folder, and leads to those reports of the runs below it that exist. Its table is
// filtered by words and sorted by columns in the browser.
func HTML(w io.Writer, dir string, list []Listed, exists func(path string) bool) error {
	table := html.Strips{
		Caption: "each run's score with its 95 % interval, beside guessing on the same questions", Whole: true,
		Head: []string{"run", "score", "95 % interval", "model", "size", "questions/min", "task", "score of", "items", "made", "complete"},
		Legend: []html.Sign{{Kind: html.Estimate, Text: "score"}, {Kind: html.Interval, Text: "95 % interval"},
			{Kind: html.Against, Text: "guessing"}},
	}
	all := page.Section{Title: "All runs"}
	for _, r := range list {
		row := html.Strip{Name: r.Run}
		if below, err := filepath.Rel(dir, r.Run); err == nil {
			row.Name = below
		}
		if r.Problem != "" {
			all.Warnings = append(all.Warnings, row.Name+": "+r.Problem)
			row.Cells = append([]string{"unreadable"}, make([]string, len(table.Head)-2)...)
			table.Rows = append(table.Rows, row)
			continue
		}
		if r.Invalid != "" {
			all.Warnings = append(all.Warnings, row.Name+": "+r.Invalid)
		} else {
			row.Value, row.Interval, row.Baseline = r.Score, r.CI, r.Baseline
		}
		row.Link = r.link(dir, exists)
		row.Cells = []string{r.score(), format.Bounds(r.CI), r.Model, format.Size(r.Bytes, format.Undefined),
			format.Decimal(r.PerMin, 1, 1, ""), r.Task, r.Headline + metrics.Part(r.Covers), r.progress(), r.Created, format.YesNo(r.Complete)}
		table.Rows = append(table.Rows, row)
	}
	table.Axis = table.Shares()
	all.Drawings = []page.Drawing{table}
	d := html.Document{Styles: []string{boardStyle}, Modules: []string{boardScript}}
	d.Begin(html.Head{Kind: "runs", Title: format.Several(len(list), "run")}, []page.Section{all, byTask(list, true)})
	return d.Write(w)
}

// link leads from a folder's page to the run's report, if that exists.
func (r Listed) link(dir string, exists func(path string) bool) string {
	report := report.Path(r.Run, ".html")
	href, err := filepath.Rel(dir, report)
	if err != nil || !exists(report) {
		return ""
	}
	return (&url.URL{Path: filepath.ToSlash(href)}).String()
}
