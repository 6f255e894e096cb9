package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"proctor/prompts/task"
	"proctor/runner/journal"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
	"proctor/runner/report/html"
	"proctor/runner/report/page"
)

// Formats are the ways of writing a table, the default first: text and markdown have no row of one subject alone, csv has one line
// a figure, html is for a browser.
var Formats = formatsOf(func(t *Table) page.Page { return t.page(OfAll, OfGroup) })

// Full are the same with the rows of subjects in text and markdown, too.
var Full = formatsOf(func(t *Table) page.Page { return t.page(OfAll, OfGroup, OfSubject) })

func formatsOf(layOut func(*Table) page.Page) page.Formats[*Table] {
	return append(page.FormatsOf(layOut),
		page.Format[*Table]{Name: "csv", Ext: ".csv", Write: writeCSV},
		page.Format[*Table]{Name: "html", Ext: ".html", Write: writeHTML})
}

// titleOf is a task's title with its pattern, where that is not the usual one.
func titleOf(h *journal.Header) string {
	t, _ := task.Lookup(h.Task)
	title := t.Title(h.Dataset.Title())
	if h.Pattern != t.Pattern("") {
		title += ", " + h.Pattern
	}
	return title
}

func (t *Table) title() string {
	if len(t.Models) == 1 {
		return t.Models[0].Name + " · " + format.Several(len(t.Tasks), "task")
	}
	return fmt.Sprintf("%s · %s", format.Several(len(t.Models), "model"), format.Several(len(t.Tasks), "task"))
}

// alert says which scores are not valid, and why.
func (t *Table) alert() string {
	var all []string
	for _, task := range t.Tasks {
		for i, run := range task.Runs {
			if run.Invalid != "" {
				all = append(all, fmt.Sprintf("%s, %s: %s", t.Models[i].Name, task.Title, run.Invalid))
			}
		}
	}
	return strings.Join(all, "; ")
}

func (t *Table) page(kinds ...string) page.Page {
	p := page.Page{Alert: t.alert(), Title: t.title(), Notices: t.Warnings}
	for _, task := range t.Tasks {
		p.Add(t.section(task, kinds...))
	}
	p.Footnotes = t.notes()
	return p
}

// section has the rows of some kinds.
func (t *Table) section(task *Task, kinds ...string) page.Section {
	s := page.Section{Title: task.Title, Table: &page.Grid{Head: []string{"of", "measure"}}}
	for _, m := range t.Models {
		s.Table.Head = append(s.Table.Head, m.Name, format.Confidence(t.Confidence))
	}
	s.Table.Head = append(s.Table.Head, "guessing")
	for _, row := range task.Rows {
		if !slices.Contains(kinds, row.Kind) {
			continue
		}
		line := []string{row.name(t.Mean), row.Measure}
		for i, c := range row.Cells {
			shown := cells(c)
			if task.Runs[i].Invalid != "" {
				shown[1] = "not valid"
			}
			line = append(line, shown...)
		}
		s.Table.Add(append(line, row.guessing())...)
	}
	for _, g := range task.Groups {
		s.Notes = append(s.Notes, g.Name+": "+task.members(g))
	}
	return s
}

// name is what a row is of, for people.
func (r Row) name(mean string) string {
	switch {
	case r.Kind != OfAll:
		return r.Of
	case mean == combine.Plain:
		return "mean of subjects"
	}
	return "all questions"
}

// cells are a figure with its interval.
func cells(c Cell) []string {
	switch {
	case !c.Value.Defined():
		return []string{format.Undefined, ""}
	case c.Plain:
		return []string{format.Plain(c.Value), format.PlainBounds(c.CI)}
	}
	return []string{format.Percent(c.Value), format.Bounds(c.CI)}
}

// guessing is what guessing scores in the row: of models that were asked different questions the least and the most.
func (r Row) guessing() string {
	var all []string
	var values []float64
	for _, c := range r.Cells {
		if !c.Baseline.Defined() {
			continue
		}
		shown := format.Percent(c.Baseline)
		if c.Plain {
			shown = format.Plain(c.Baseline)
		}
		values = append(values, c.Baseline.Or(0))
		if !slices.Contains(all, shown) {
			all = append(all, shown)
		}
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return format.Decimal(stats.Of(slices.Min(values)), 100, 2, "") + "–" + format.Percent(stats.Of(slices.Max(values)))
}

// members are the subjects of a group that something was asked of, and how many others it has.
func (task *Task) members(g combine.Group) string {
	var asked []string
	for _, subject := range g.Subjects {
		if slices.Contains(task.asked, subject) {
			asked = append(asked, subject)
		}
	}
	text := strings.Join(asked, ", ")
	if others := len(g.Subjects) - len(asked); others > 0 {
		text += fmt.Sprintf("; nothing was asked of its %s", format.Several(others, "other subject"))
	}
	return text
}

func (t *Table) notes() []string {
	mean := "in a group every question counts the same, or, where the draw has not the set's shares, each subject by its share of the set"
	if t.Mean == combine.Plain {
		mean = "in a group every subject counts the same (OpenCompass's naive average)"
	}
	return []string{mean,
		"each model's own figure, of what it was asked; guessing draws a letter for every item anew",
		"no difference is tested here: `proctor compare A B` does, question by question"}
}

// A line is a figure of the table, as csv has it.
type line struct {
	Task     string         `json:"task"`
	Pattern  string         `json:"pattern,omitempty"`
	Data     string         `json:"data"`
	Kind     string         `json:"kind"`
	Of       string         `json:"of"`
	Measure  string         `json:"measure"`
	Model    string         `json:"model"`
	Run      string         `json:"run"`
	Mean     string         `json:"mean"`
	Value    stats.Number   `json:"value,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	Baseline stats.Number   `json:"baseline,omitzero"`
	Over     int            `json:"over"`
	Subjects int            `json:"subjects"`
	Invalid  string         `json:"invalid,omitempty"`
}

// writeCSV writes one line a figure.
func writeCSV(w io.Writer, t *Table) error {
	var out page.Wide
	for _, task := range t.Tasks {
		for _, row := range task.Rows {
			for i, c := range row.Cells {
				if c != (Cell{}) {
					out.Add(out.Cells(line{task.Task, task.Pattern, task.Data, row.Kind, row.Of, row.Measure, t.Models[i].Name,
						task.Runs[i].Path, t.Mean, c.Value, c.CI, c.Baseline, c.Over, c.Subjects, task.Runs[i].Invalid},
						[]string{"task", "data", "kind", "of", "measure", "model", "value", "ci.low", "ci.high", "baseline"})...)
				}
			}
		}
	}
	return out.Write(w)
}

// writeHTML writes a file for a browser: of each task the drawings, and every figure.
func writeHTML(w io.Writer, t *Table) error {
	var out html.Document
	head := html.Head{Kind: "table", Alert: t.alert(), Title: t.title(), Notices: t.Warnings}
	out.Begin(head, t.parts())
	return out.Write(w)
}

// Figures are what an HTML table draws, for files of their own.
func Figures(t *Table) []html.File { return html.Files(t.parts()) }

func (t *Table) parts() []page.Section {
	var parts []page.Section
	for _, task := range t.Tasks {
		all, subjects := t.section(task, OfAll, OfGroup), t.section(task, OfSubject)
		subjects.Below, subjects.Fold, subjects.Notes = true, "every subject", nil
		for _, measure := range task.measure {
			if d, drawn := t.drawing(task, measure); drawn {
				all.Drawings = append(all.Drawings, d)
			}
		}
		if len(parts) == 0 {
			all.Notes = append(all.Notes, t.notes()...)
		}
		parts = append(parts, all, subjects)
	}
	return parts
}

// drawing draws a measure of all questions and of the groups, a line a model; none of a coefficient.
func (t *Table) drawing(task *Task, measure string) (d html.Strips, drawn bool) {
	d = html.Strips{
		Caption: strings.ReplaceAll(measure, "_", " ") + " by model, with its " + format.Confidence(t.Confidence),
		Shows:   task.Title + " " + measure,
		Head:    []string{"of, model", measure, format.Confidence(t.Confidence), "guessing"},
	}
	for _, row := range task.Rows {
		if row.Measure != measure || row.Kind == OfSubject {
			continue
		}
		for i, c := range row.Cells {
			if c.Plain || !c.Value.Defined() || task.Runs[i].Invalid != "" {
				continue
			}
			d.Rows = append(d.Rows, html.Strip{Name: row.name(t.Mean) + ", " + t.Models[i].Name, Value: c.Value, Interval: c.CI,
				Baseline: c.Baseline, Strong: row.Kind == OfAll, Cells: append(cells(c), format.Percent(c.Baseline))})
		}
	}
	d.Axis = d.Shares()
	return d, len(d.Rows) > 0
}
