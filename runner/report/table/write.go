package table

import (
	"cmp"
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

// Formats are the formats of a table, the default first. text and markdown have the tasks' scores, and the rest if the table is full; csv
// has a line per figure, html is for a browser.
var Formats = append(page.FormatsOf((*Table).page),
	page.Format[*Table]{Name: "csv", Ext: ".csv", Write: writeCSV},
	page.Format[*Table]{Name: "html", Ext: ".html", Write: writeHTML})

// titleOf is a task's title with its pattern, unless that is the usual one, and with the subjects that the run named.
func titleOf(h *journal.Header) string {
	t, _ := task.Lookup(h.Task)
	title := t.Title(h.Dataset.Title())
	if h.Pattern != t.Pattern("") {
		title += ", " + h.Pattern
	}
	switch subjects := h.Selection.Subjects; len(subjects) {
	case 0:
	case 1:
		title += " (" + subjects[0] + ")"
	default: // a list is too long for the name of a row
		title += " (" + format.Several(len(subjects), "subject") + ")"
	}
	return title
}

func (t *Table) title() string {
	if len(t.Models) == 1 {
		return t.Models[0].Name + " · " + format.Several(len(t.Tasks), "task")
	}
	return fmt.Sprintf("%s · %s", format.Several(len(t.Models), "model"), format.Several(len(t.Tasks), "task"))
}

// alert names the scores that are not valid, and why.
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

func (t *Table) page() page.Page {
	p := page.Page{Title: t.title(), Notices: t.warned(false)} // each run's own report has the problems of the run
	p.Add(t.scores())
	if t.full {
		p.Alert, p.Notices = t.alert(), t.Warnings
		for _, task := range t.Tasks {
			p.Add(t.section(task, OfAll, OfRest, OfGroup, OfSubject))
		}
	}
	p.Footnotes = t.notes()
	return p
}

// head is the head of a grid with two columns before those of the models.
func (t *Table) head(first, second string) *page.Grid {
	g := &page.Grid{Head: []string{first, second}}
	for _, m := range t.Models {
		g.Head = append(g.Head, m.Name, format.Confidence(t.Confidence))
	}
	g.Head = append(g.Head, "guessing")
	return g
}

// scores has the measures of all questions of each task, and the average of the tasks' scores.
func (t *Table) scores() page.Section {
	s := page.Section{Title: "Scores", Table: t.head("task", "score")}
	for _, task := range t.Tasks {
		for _, row := range task.Rows {
			switch row.Kind {
			case OfAll:
				s.Table.Add(row.line(task.Title, task.Runs)...)
			case OfRest:
				s.Table.Add(row.line("  "+row.Of, task.Runs)...)
			}
		}
	}
	if a := t.Average; a != nil {
		s.Table.Add(a.row().line("average", t.ofAll())...)
		if len(a.Scores) > 1 {
			s.Notes = append(s.Notes, "the average is of different scores, each counting the same: hold it against guessing, which is averaged too")
		}
		if a.Shared {
			s.Notes = append(s.Notes,
				"the tasks ask about the same subjects, perhaps the same questions: their errors may go together, so the average's interval is wide")
		}
	}
	return s
}

// row is the average as a row.
func (a *Average) row() Row {
	measure := a.Scores[0]
	if len(a.Scores) > 1 {
		measure = format.Several(len(a.Scores), "score")
	}
	return Row{Kind: OfAll, Measure: measure, Cells: a.Cells}
}

// ofAll has a run per model, which is invalid if any of its tasks is.
func (t *Table) ofAll() []Run {
	runs := make([]Run, len(t.Models))
	for _, task := range t.Tasks {
		for i, run := range task.Runs {
			runs[i].Invalid = cmp.Or(runs[i].Invalid, run.Invalid)
		}
	}
	return runs
}

// line has the cells of a row with a name. A run whose score is not valid has no interval.
func (r Row) line(name string, runs []Run) []string {
	line := []string{name, r.Measure}
	for i, c := range r.Cells {
		shown := cells(c)
		if runs[i].Invalid != "" {
			shown[1] = notValid
		}
		line = append(line, shown...)
	}
	return append(line, r.guessing())
}

// section has the rows of some kinds.
func (t *Table) section(task *Task, kinds ...string) page.Section {
	s := page.Section{Title: task.Title, Table: t.head("of", "measure")}
	for _, row := range task.Rows {
		if slices.Contains(kinds, row.Kind) {
			s.Table.Add(row.line(row.name(), task.Runs)...)
		}
	}
	for _, g := range task.Groups {
		s.Notes = append(s.Notes, g.Name+": "+task.members(g))
	}
	return s
}

// name names a row's subjects, for people.
func (r Row) name() string {
	if r.Kind == OfAll {
		return "all questions"
	}
	return r.Of
}

// cells are a figure and its interval.
func cells(c Cell) []string {
	if !c.Value.Defined() {
		return []string{format.Undefined, ""}
	}
	return []string{format.Percent(c.Value), format.Bounds(c.CI)}
}

// guessing is the row's guessing baseline: its range if the models were asked different questions.
func (r Row) guessing() string {
	var all []string
	var values []float64
	for _, c := range r.Cells {
		if !c.Baseline.Defined() {
			continue
		}
		values = append(values, c.Baseline.Or(0))
		if shown := format.Percent(c.Baseline); !slices.Contains(all, shown) {
			all = append(all, shown)
		}
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return format.Decimal(stats.Of(slices.Min(values)), 100, 2, "") + "–" + format.Percent(stats.Of(slices.Max(values)))
}

// members names the group's subjects with questions in the run, and counts the others.
func (task *Task) members(g combine.Group) string {
	var listed []string
	for _, subject := range g.Subjects {
		if slices.Contains(task.subjects, subject) {
			listed = append(listed, subject)
		}
	}
	text := strings.Join(listed, ", ")
	if others := len(g.Subjects) - len(listed); others > 0 {
		text += fmt.Sprintf("; nothing was asked of its %s", format.Several(others, "other subject"))
	}
	return text
}

func (t *Table) notes() []string {
	return []string{"in a task and in a group every question counts the same",
		"each model's own figure, of what it was asked; guessing draws a letter for every item anew",
		"no difference is tested here: `proctor compare A B` does, question by question"}
}

// A line is a figure of the table in CSV.
type line struct {
	Task     string         `json:"task"`
	Pattern  string         `json:"pattern,omitempty"`
	Data     string         `json:"data"`
	Kind     string         `json:"kind"`
	Of       string         `json:"of"`
	Measure  string         `json:"measure"`
	Model    string         `json:"model"`
	Run      string         `json:"run"`
	Value    stats.Number   `json:"value,omitzero"`
	CI       stats.Interval `json:"ci,omitzero"`
	SE       stats.Number   `json:"stderr,omitzero"`
	Baseline stats.Number   `json:"baseline,omitzero"`
	Over     int            `json:"over"`
	Subjects int            `json:"subjects"`
	Invalid  string         `json:"invalid,omitempty"`
}

// leading are the first columns.
var leading = []string{"task", "data", "kind", "of", "measure", "model", "value", "ci.low", "ci.high", "baseline"}

// writeCSV writes a line per figure.
func writeCSV(w io.Writer, t *Table) error {
	var out page.Wide
	for _, task := range t.Tasks {
		for _, row := range task.Rows {
			for i, c := range row.Cells {
				if c != (Cell{}) {
					out.Add(out.Cells(line{task.Task, task.Pattern, task.Data, row.Kind, row.Of, row.Measure, t.Models[i].Name,
						task.Runs[i].Path, c.Value, c.CI, c.SE, c.Baseline, c.Over, c.Subjects, task.Runs[i].Invalid}, leading)...)
				}
			}
		}
	}
	if a := t.Average; a != nil {
		for i, c := range a.Cells {
			if c != (Cell{}) {
				out.Add(out.Cells(line{Task: "average", Kind: OfAll, Of: combine.All, Measure: strings.Join(a.Scores, ", "), Model: t.Models[i].Name,
					Value: c.Value, CI: c.CI, Baseline: c.Baseline, Over: c.Over, Subjects: c.Subjects}, leading)...)
			}
		}
	}
	return out.Write(w)
}

// writeHTML writes a file for a browser: each task's drawings, and every figure.
func writeHTML(w io.Writer, t *Table) error {
	var out html.Document
	head := html.Head{Kind: "table", Alert: t.alert(), Title: t.title(), Notices: t.Warnings}
	out.Begin(head, t.parts())
	return out.Write(w)
}

func (t *Table) parts() []page.Section {
	scores := t.scores()
	scores.Notes = append(scores.Notes, t.notes()...)
	if d := t.drawn(); len(d.Rows) > 0 {
		scores.Drawings = []page.Drawing{d}
	}
	parts := []page.Section{scores}
	for _, task := range t.Tasks {
		all, subjects := t.section(task, OfAll, OfRest, OfGroup), t.section(task, OfSubject)
		subjects.Below, subjects.Fold, subjects.Notes = true, "every subject", nil
		for _, measure := range task.measure {
			if d := t.drawing(task, measure); len(d.Rows) > 0 {
				all.Drawings = append(all.Drawings, d)
			}
		}
		parts = append(parts, all, subjects)
	}
	return parts
}

// drawn draws the score of each run, with a link to its report, and the average.
func (t *Table) drawn() html.Strips {
	d := html.Strips{Caption: "each run's score",
		Head: []string{"task, model", "score", format.Confidence(t.Confidence), "guessing"}}
	add := func(name string, row Row, runs []Run, strong bool) {
		for i, c := range row.Cells {
			if !c.Value.Defined() {
				continue
			}
			line := html.Strip{Name: name + ", " + t.Models[i].Name, Link: t.link(runs[i].Path), Value: c.Value, Interval: c.CI, Baseline: c.Baseline,
				Strong: strong, Cells: append(cells(c), format.Percent(c.Baseline))}
			if runs[i].Invalid != "" {
				line.Interval, line.Cells[1] = stats.Interval{}, notValid
			}
			d.Rows = append(d.Rows, line)
		}
	}
	for _, task := range t.Tasks {
		add(task.Title, task.score(), task.Runs, false)
	}
	if t.Average != nil {
		add("average", t.Average.row(), t.ofAll(), true)
	}
	d.Axis = d.Shares()
	return d
}

// notValid replaces the interval of a score that is not valid.
const notValid = "not valid"

// drawing draws a measure of all questions and of the groups, a line per model.
func (t *Table) drawing(task *Task, measure string) html.Strips {
	d := html.Strips{
		Caption: strings.ReplaceAll(measure, "_", " ") + " by model, with its " + format.Confidence(t.Confidence),
		Head:    []string{"of, model", measure, format.Confidence(t.Confidence), "guessing"},
	}
	for _, row := range task.Rows {
		if row.Measure != measure || row.Kind == OfSubject {
			continue
		}
		for i, c := range row.Cells {
			if !c.Value.Defined() || task.Runs[i].Invalid != "" {
				continue
			}
			d.Rows = append(d.Rows, html.Strip{Name: row.name() + ", " + t.Models[i].Name, Value: c.Value, Interval: c.CI,
				Baseline: c.Baseline, Strong: row.Kind == OfAll, Cells: append(cells(c), format.Percent(c.Baseline))})
		}
	}
	d.Axis = d.Shares()
	return d
}
