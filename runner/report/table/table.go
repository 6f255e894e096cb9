// Package table compares models side by side: models × tasks × measures, over all questions, groups of subjects and each subject. It claims
// no difference between models, which runner/report/compare tests question by question.
//
//	reports ─ Of ─▶ Table: a Task's rows, a Cell a model, their Average ─ Formats ─▶ text | markdown | json | csv | html
package table

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/runner/journal"
	"proctor/runner/mark/combine"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
)

// Options choose the table's content. The zero value is the default.
type Options struct {
	Groups []combine.Group
	// address of a run's report, relative to the page; empty if there is none, nil for no links
	Link func(run string) string
	Full bool // text and markdown have the groups and the subjects, too
}

// A Table has a column for every model and some rows for every task.
type Table struct {
	Confidence float64  `json:"confidence"` // level of every interval
	Models     []Model  `json:"models"`
	Tasks      []*Task  `json:"tasks"`
	Average    *Average `json:"average,omitempty"` // mean of several tasks' scores
	Warnings   []string `json:"warnings,omitempty"`

	cautions []caution
	link     func(run string) string
	full     bool
}

// An Average is the mean of the tasks' scores, each counting the same (OpenCompass's naive average).
type Average struct {
	Scores []string `json:"scores"`           // the averaged scores; a mean of several kinds has no unit of its own
	Shared bool     `json:"shared_questions"` // some tasks may ask the same questions: intervals add up instead of averaging out
	Cells  []Cell   `json:"cells"`            // in the models' order; empty if the model lacks a task
}

// A Model is a column.
type Model struct {
	Name  string             `json:"name"` // distinguishes it from the others
	Model backends.ModelInfo `json:"model"`
}

// A Task is a task on one set, with its rows.
type Task struct {
	Task    string          `json:"task"`
	Pattern string          `json:"pattern,omitempty"`
	Data    string          `json:"data"`
	Chosen  []string        `json:"chosen,omitempty"` // the subjects, if the run named them
	Title   string          `json:"title"`
	Groups  []combine.Group `json:"groups,omitempty"`
	Runs    []Run           `json:"runs"` // one per model, in the models' order; empty if the model has none
	Rows    []Row           `json:"rows"`

	key      [5]string
	sides    map[int]*side // by the model's column
	subjects []string
	measure  []string // the names of the figures, the score last
}

// A Run is a model's run of a task.
type Run struct {
	Path      string `json:"run,omitempty"`
	Questions int    `json:"questions,omitempty"`
	Invalid   string `json:"invalid,omitempty"` // why the score is not valid
}

// The kinds of row.
const (
	OfAll     = "all"
	OfRest    = "rest"
	OfGroup   = "group"
	OfSubject = "subject"
)

// A Row is a measure of some subjects, with a cell per model.
type Row struct {
	Kind    string `json:"kind"` // all, rest (without questions that were left out), group or subject
	Of      string `json:"of"`   // all, without N questions, or the group's or subject's name
	Measure string `json:"measure"`
	Cells   []Cell `json:"cells"` // in the models' order; empty if the model has none
}

// A Cell is one model's figure.
type Cell = combine.Figure

// A side is a run with its figures.
type side struct {
	pairs.Run
	measured *metrics.Measured
	groups   *combine.Measurer
}

// Of makes the table of runs, each with the reports of its tasks. Confidence and rules are the reports'.
func Of(runs [][]*metrics.Summary, o Options) (*Table, error) {
	t := &Table{link: o.Link, full: o.Full}
	if t.link == nil {
		t.link = func(string) string { return "" }
	}
	for _, run := range runs {
		if err := t.place(run); err != nil {
			return nil, err
		}
	}
	t.name()
	if err := t.group(o.Groups); err != nil {
		return nil, err
	}
	for _, task := range t.Tasks {
		if err := t.check(task); err != nil {
			return nil, err
		}
		task.fill()
	}
	t.average()
	t.Warnings = t.warned(true)
	return t, nil
}

// place finds the columns of a run's tasks. Tasks of one model share a column: its first one that has none of these tasks yet.
func (t *Table) place(run []*metrics.Summary) error {
	var sides []*side
	for _, r := range run {
		measured, err := metrics.MeasuredOf(r.Marked, metrics.Options{Confidence: r.Confidence})
		if err != nil {
			return err
		}
		t.Confidence = r.Confidence
		sides = append(sides, &side{Run: pairs.RunOf(r), measured: measured})
	}
	for len(sides) > 0 {
		model := sides[0].Model
		same := func(s *side) bool { return reflect.DeepEqual(s.Model, model) }
		column := 0
		for ; column < len(t.Models); column++ {
			taken := func(s *side) bool { return same(s) && t.task(&s.Marked.Header).sides[column] != nil }
			if reflect.DeepEqual(t.Models[column].Model, model) && !slices.ContainsFunc(sides, taken) {
				break
			}
		}
		if column == len(t.Models) {
			t.Models = append(t.Models, Model{Model: model})
		}
		for _, s := range sides {
			if same(s) {
				t.task(&s.Marked.Header).sides[column] = s
			}
		}
		sides = slices.DeleteFunc(sides, same)
	}
	return nil
}

// task finds a run's task in the table, or adds it.
func (t *Table) task(h *journal.Header) *Task {
	key := [5]string{h.Task, h.Pattern, h.Dataset.SHA256, h.Dataset.Name, strings.Join(h.Selection.Subjects, ",")}
	if i := slices.IndexFunc(t.Tasks, func(other *Task) bool { return other.key == key }); i >= 0 {
		return t.Tasks[i]
	}
	task := &Task{Task: h.Task, Pattern: h.Pattern, Data: h.Dataset.Name, Chosen: h.Selection.Subjects, Title: titleOf(h), key: key,
		sides: map[int]*side{}}
	t.Tasks = append(t.Tasks, task)
	return task
}

// name gives the models distinct names, and every task as many columns as there are models.
func (t *Table) name() {
	runs := make([]pairs.Run, len(t.Models))
	for i, m := range t.Models {
		runs[i] = pairs.Run{Path: t.folder(i), Model: m.Model}
	}
	pairs.NameApart(runs)
	for i := range runs {
		t.Models[i].Name = runs[i].Name
	}
	for _, task := range t.Tasks {
		task.Runs = make([]Run, len(t.Models))
		for i, s := range task.sides {
			s.Name = t.Models[i].Name
			task.Runs[i] = Run{s.Path, s.Marked.View(0).Tally().Questions, s.Validity.String()}
		}
	}
}

// folder is the folder of a model's runs: the common one if there is one, else that of its first run.
func (t *Table) folder(column int) string {
	first, several := "", false
	for _, task := range t.Tasks {
		s, there := task.sides[column]
		if !there {
			continue
		}
		switch path := s.Path; {
		case first == "":
			first = path
		case filepath.Dir(path) != filepath.Dir(first):
			return first
		default:
			several = true
		}
	}
	if several {
		return filepath.Dir(first)
	}
	return first
}

// group measures each run's groups, and sets the groups that each task shows.
func (t *Table) group(given []combine.Group) error {
	var everywhere []string
	for _, task := range t.Tasks {
		for _, s := range task.there() {
			s.groups, task.measure = combine.MeasurerOf(s.Marked, s.measured), s.measured.Names
			task.subjects = append(task.subjects, s.groups.Subjects...)
		}
		task.subjects = sorted(task.subjects)
		everywhere = append(everywhere, task.subjects...)
	}
	resolved, err := combine.Resolve(given, sorted(everywhere))
	if err != nil {
		return fmt.Errorf("%s %w", setting.Group, err)
	}
	for _, task := range t.Tasks {
		task.Groups = combine.Shown(resolved, task.subjects)
	}
	return nil
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// there are the runs of the task, in their columns' order.
func (task *Task) there() (all []*side) {
	for _, column := range slices.Sorted(maps.Keys(task.sides)) {
		all = append(all, task.sides[column])
	}
	return all
}

// fill makes the rows: a row per measure for all subjects, for each group and for each subject.
func (task *Task) fill() {
	task.add(OfAll, combine.All, (*side).whole)
	task.addRest()
	for _, g := range task.Groups {
		task.add(OfGroup, g.Name, func(s *side) []Cell { return s.groups.Group(g.Subjects) })
	}
	for _, subject := range task.subjects {
		task.add(OfSubject, subject, func(s *side) []Cell { return s.groups.Subject(subject) })
	}
}

// whole are the figures of all subjects. The score has the interval of the headline, which allows for a run that stopped early.
func (s *side) whole() []Cell {
	all := s.groups.Group(s.groups.Subjects)
	if n := len(all); n > 0 {
		all[n-1].CI, all[n-1].SE = s.Headline.CI, s.Headline.SE
	}
	return all
}

func (task *Task) add(kind, of string, figures func(*side) []Cell) {
	columns := make([][]Cell, len(task.Runs))
	for i, s := range task.sides {
		columns[i] = figures(s)
	}
	for m, measure := range task.measure {
		row := Row{Kind: kind, Of: of, Measure: measure, Cells: make([]Cell, len(columns))}
		for i, column := range columns {
			if m < len(column) {
				row.Cells[i] = column[m]
			}
		}
		task.Rows = append(task.Rows, row)
	}
}

// addRest adds a row of the score without questions that were left out, where some were.
func (task *Task) addRest() {
	row := Row{Kind: OfRest, Measure: task.score().Measure, Cells: make([]Cell, len(task.Runs))}
	for i, s := range task.sides {
		if s.Without == nil {
			return
		}
		f := s.Without.Headline
		row.Of = s.Without.Name()
		row.Cells[i] = Cell{Value: f.Value, CI: f.CI, SE: f.SE, Baseline: f.Baseline, Over: s.Without.Questions}
	}
	task.Rows = append(task.Rows, row)
}

// score is the row of the task's score: the last one of all subjects.
func (task *Task) score() Row { return task.Rows[len(task.measure)-1] }

// average averages the tasks' scores, if there are several and a model has them all.
func (t *Table) average() {
	if len(t.Tasks) < 2 {
		return
	}
	a, seen, columns := &Average{Cells: make([]Cell, len(t.Models))}, map[string]bool{}, make([][]Cell, len(t.Models))
	for _, task := range t.Tasks {
		row := task.score()
		if !slices.Contains(a.Scores, row.Measure) {
			a.Scores = append(a.Scores, row.Measure)
		}
		for _, subject := range task.subjects {
			a.Shared = a.Shared || seen[subject]
		}
		for _, subject := range task.subjects {
			seen[subject] = true
		}
		for i := range task.sides {
			columns[i] = append(columns[i], row.Cells[i])
		}
	}
	for i, scores := range columns {
		if len(scores) == len(t.Tasks) {
			a.Cells[i], t.Average = combine.MeanOf(scores, a.Shared), a
		}
	}
}
