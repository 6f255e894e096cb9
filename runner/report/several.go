package report

import (
	"fmt"
	"io"
	"net/url"
	"path"

	"proctor/prompts/task"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// InOneDocument says whether several reports in a format are one document, which can be written only once all are there: a
// JSON array of the reports, whose last element, of task "combined", is what they come to together, or a table with a line each.
func InOneDocument(f Format) bool {
	return f.Name == jsonFormat || f.Name == wideFormat
}

// Together says why a number of reports can't be written in a format, nil where they can: an HTML file holds one run.
func Together(f Format, runs int) error {
	if f.Name == htmlFormat && runs > 1 {
		return fmt.Errorf("html is a file for one run, not for %d: give one of them; `proctor run` leaves a report%[2]s in the folder of "+
			"each task, and a combined%[2]s above them", runs, f.Ext)
	}
	return nil
}

// WriteSeveral writes reports: one as it is, several one after the other or, where a format asks for it, in one document. What
// tasks of one model come to together stands at the end.
func WriteSeveral(w io.Writer, f Format, reports []*metrics.Summary) error {
	if err := Together(f, len(reports)); err != nil {
		return err
	}
	together := combine.Of(reports)
	switch {
	case f.Name == wideFormat:
		return writeWide(w, reports...)
	case f.Name == jsonFormat && len(reports) > 1:
		var all []any
		for _, r := range reports {
			all = append(all, r)
		}
		if together != nil {
			all = append(all, together)
		}
		return page.JSON(w, all)
	}
	for _, r := range reports {
		if err := f.Write(w, r); err != nil {
			return err
		}
	}
	return WriteCombined(w, f, reports)
}

// WriteCombined writes what reports that are written already come to together, in the formats that people read.
func WriteCombined(w io.Writer, f Format, reports []*metrics.Summary) error {
	together := combine.Of(reports)
	if together == nil || f.Name != "text" && f.Name != "markdown" {
		return nil
	}
	combined, err := CombinedFormats.Named(f.Name)
	if err != nil {
		return err
	}
	return combined.Write(w, together)
}

// CombinedFormats are those of what several tasks come to together. The one for a browser links the tasks' own reports, which lie
// in folders beside it.
var CombinedFormats = append(page.FormatsOf(combinedPage),
	page.Format[*combine.Combined]{Name: htmlFormat, Ext: ".html", Write: writeCombinedHTML})

func writeCombinedHTML(w io.Writer, c *combine.Combined) error {
	text := combinedPage(c)
	s := html.Strips{Caption: "each task's score", Head: []string{"task", "score", "value", "interval", "guessing", "of"}}
	for i, part := range c.Tasks {
		h := part.Headline
		row := html.Strip{Name: combinedName(part), Value: h.Value, Interval: h.CI, Baseline: h.Baseline, Cells: text.Sections[0].Table.Rows[i][1:]}
		if part.Run != "" {
			row.Link = path.Join(url.PathEscape(part.Run), "report.html")
		}
		s.Rows = append(s.Rows, row)
	}
	s.Axis = s.Shares()
	var out html.Document
	out.Begin(html.Head{Kind: "report", Alert: text.Alert, Title: text.Title, Verdict: c.Model.Title()}, []page.Section{
		{Title: text.Sections[0].Title, Drawings: []page.Drawing{s}}, text.Sections[1]})
	return out.Write(w)
}

func combinedPage(c *combine.Combined) page.Page {
	p := page.Page{Title: fmt.Sprintf("Combined · %s", format.Several(len(c.Tasks), "task"))}
	for _, part := range c.Tasks {
		if p.Alert == "" {
			p.Alert = part.Validity.String()
		}
	}
	s := page.Section{Title: "Tasks", Table: &page.Grid{Head: []string{"task", "score", "value", "interval", "guessing", "of"}}}
	for _, part := range c.Tasks {
		s.Table.Add(combinedName(part), part.Headline.Name, format.Percent(part.Headline.Value), format.Bounds(part.Headline.CI),
			format.Percent(part.Headline.Baseline), part.Headline.Covers)
	}
	line := func(f combine.Total) string {
		if f.CI.IsZero() {
			return format.TooFew
		}
		return fmt.Sprintf("%s %s (%s); guessing %s", format.Confidence(f.CI.Confidence), format.Bounds(f.CI), format.Method(f.CI),
			format.Percent(f.Baseline))
	}
	result := page.Section{Title: "Together"}
	if c.Macro != nil {
		result.Facts.Add("mean of the tasks", format.Percent(c.Macro.Value), "each task's score counting the same, "+line(*c.Macro))
	} else {
		result.Notes = append(result.Notes, "no mean of the tasks: they are measured by different scores")
	}
	if c.Pooled != nil {
		result.Facts.Add("pooled accuracy", format.Percent(c.Pooled.Value),
			"right of all "+format.Several(c.Pooled.Items, "item")+" of the tasks, "+line(*c.Pooled))
	}
	if c.Shared {
		result.Notes = append(result.Notes,
			"the tasks ask about the same subjects, perhaps the same questions, so their errors may be correlated")
	}
	p.Add(s, result)
	return p
}

func combinedName(part combine.Part) string {
	t, _ := task.Lookup(part.Task)
	name := t.Title(part.Data, part.Published)
	if len(part.Subjects) > 0 {
		name += " (" + format.Few(part.Subjects) + ")"
	}
	return name
}
