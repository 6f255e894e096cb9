// Package table sets models side by side: models × tasks × measures, of all questions, of groups of subjects and of each subject. It
// claims no difference between models, which runner/report/compare tests question by question.
//
//	runs ─ Open ─▶ Table: a Task's rows, a Cell a model ─ Formats ─▶ text | markdown | json | csv | html
package table

import (
	"errors"
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
	"proctor/runner/mark/format"
	"proctor/runner/mark/metrics"
	"proctor/runner/mark/pairs"
	"proctor/runner/mark/stats"
)

// Options say what the table has. The zero value is the default.
type Options struct {
	RuleSet    string   // marks all runs; empty for their own
	Confidence float64  // of intervals; 0 for 0.95
	Metrics    []string // by the JSON report's names, or [AllMetrics] alone; none for those that stand for a task
	Groups     []combine.Group
	Mean       string // one of [combine.Means]; empty for the first
}

// AllMetrics stands for every metric that a task has.
const AllMetrics = "all"

// A Table has a column for every model and some rows for every task.
type Table struct {
	Confidence float64  `json:"confidence"` // of every interval
	Mean       string   `json:"mean"`       // of subjects: weighted or plain
	Models     []Model  `json:"models"`
	Tasks      []*Task  `json:"tasks"`
	Warnings   []string `json:"warnings,omitempty"`

	cautions []caution
}

// A Model is a column.
type Model struct {
	Name  string             `json:"name"` // tells it from the others
	Model backends.ModelInfo `json:"model"`
}

// A Task is a task of one set with its rows.
type Task struct {
	Task    string          `json:"task"`
	Pattern string          `json:"pattern,omitempty"`
	Data    string          `json:"data"`
	Title   string          `json:"title"`
	Groups  []combine.Group `json:"groups,omitempty"`
	Runs    []Run           `json:"runs"` // a model each, in the models' order; empty where the model has none
	Rows    []Row           `json:"rows"`

	key     [4]string
	sides   map[int]*side // by the model's column
	asked   []string
	measure []string
}

// A Run is what stands in a model's column of a task.
type Run struct {
	Path      string `json:"run,omitempty"`
	Questions int    `json:"questions,omitempty"`
	Invalid   string `json:"invalid,omitempty"` // why the score is not valid
}

// The kinds of row.
const (
	OfAll     = "all"
	OfGroup   = "group"
	OfSubject = "subject"
)

// A Row is a measure of some subjects, with a cell a model.
type Row struct {
	Kind    string `json:"kind"` // all, group or subject
	Of      string `json:"of"`   // all, the group's name or the subject's
	Measure string `json:"measure"`
	Cells   []Cell `json:"cells"` // in the models' order; empty where the model has none
}

// A Cell is one model's figure.
type Cell = combine.Figure

// A side is a run with what is measured of it.
type side struct {
	pairs.Run
	measured *metrics.Measured
	groups   *combine.Measurer
}

// Open makes the table of runs, given as their folders or journals.
func Open(paths []string, o Options) (*Table, error) {
	if len(paths) == 0 {
		return nil, errors.New("a table needs a RUN or more: folders of runs, or their journals")
	}
	if o.Confidence == 0 {
		o.Confidence = stats.DefaultConfidence
	}
	if o.Mean == "" {
		o.Mean = combine.Means[0]
	}
	t := &Table{Confidence: o.Confidence, Mean: o.Mean}
	for _, path := range paths {
		if err := t.place(path, o); err != nil {
			return nil, err
		}
	}
	t.name()
	if err := t.choose(o.Metrics); err != nil {
		return nil, err
	}
	if err := t.group(o.Groups); err != nil {
		return nil, err
	}
	for _, task := range t.Tasks {
		if err := t.check(task); err != nil {
			return nil, err
		}
		task.fill(o.Mean)
	}
	t.Warnings = t.warned()
	return t, nil
}

// place opens the runs of an argument, of which a folder of several tasks has several, and finds their columns. Those of one model
// stand together: in the first of its columns that has a run of none of their tasks.
func (t *Table) place(argument string, o Options) error {
	var sides []*side
	for _, path := range journal.Tasks(argument) {
		run, err := pairs.OpenRun(path, pairs.Options{RuleSet: o.RuleSet, Confidence: o.Confidence})
		if err != nil {
			return err
		}
		measured, err := metrics.MeasuredOf(run.Marked, metrics.Options{Confidence: o.Confidence})
		if err != nil {
			return err
		}
		sides = append(sides, &side{Run: run, measured: measured})
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

// task is that of a run, made where it is the first of it.
func (t *Table) task(h *journal.Header) *Task {
	key := [4]string{h.Task, h.Pattern, h.Dataset.SHA256, h.Dataset.Name}
	if i := slices.IndexFunc(t.Tasks, func(other *Task) bool { return other.key == key }); i >= 0 {
		return t.Tasks[i]
	}
	task := &Task{Task: h.Task, Pattern: h.Pattern, Data: h.Dataset.Name, Title: titleOf(h), key: key, sides: map[int]*side{}}
	t.Tasks = append(t.Tasks, task)
	return task
}

// name tells the models apart, and gives every task as many columns as there are models.
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

// folder is where a model's runs lie: that of several tasks, where all its runs are in one, else its first run.
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

// choose sets each task's measures. A name that no task has is refused.
func (t *Table) choose(names []string) error {
	known, all := map[string]bool{}, []string{}
	for _, task := range t.Tasks {
		var has, usual []string
		for _, s := range task.there() {
			has = append(has, s.measured.Names(s.Marked.View(0))...)
			usual = append(usual, s.measured.Usual...)
		}
		has, usual = format.Once(has), format.Once(usual)
		for _, name := range has {
			known[name] = true
		}
		all = format.Once(append(all, has...))
		switch {
		case len(names) == 0:
			task.measure = usual
		case len(names) == 1 && names[0] == AllMetrics:
			task.measure = has
		default:
			task.measure = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(has, name) })
		}
	}
	for _, name := range names {
		if !known[name] && name != AllMetrics {
			return fmt.Errorf("%s: no run's task has that metric; there are %s", setting.Metrics.As(name), strings.Join(all, ", "))
		}
	}
	t.Tasks = slices.DeleteFunc(t.Tasks, func(task *Task) bool { return len(task.measure) == 0 })
	return nil
}

// group measures each run's groups, and sets those that each task shows.
func (t *Table) group(given []combine.Group) error {
	var everywhere []string
	for _, task := range t.Tasks {
		for _, s := range task.there() {
			s.groups = combine.MeasurerOf(s.Marked, s.measured, task.measure)
			task.asked = append(task.asked, s.groups.Subjects...)
		}
		task.asked = sorted(task.asked)
		everywhere = append(everywhere, task.asked...)
	}
	resolved, err := combine.Resolve(given, sorted(everywhere))
	if err != nil {
		return fmt.Errorf("%s %w", setting.Group, err)
	}
	for _, task := range t.Tasks {
		task.Groups = combine.Shown(resolved, task.asked)
	}
	return nil
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// there are the runs that the task has, in their columns' order.
func (task *Task) there() (all []*side) {
	for _, column := range slices.Sorted(maps.Keys(task.sides)) {
		all = append(all, task.sides[column])
	}
	return all
}

// fill makes the rows: of all subjects, of each group and of each subject, a row a measure.
func (task *Task) fill(mean string) {
	task.add(OfAll, combine.All, func(s *side) []Cell { return s.groups.Group(s.groups.Subjects, mean) })
	for _, g := range task.Groups {
		task.add(OfGroup, g.Name, func(s *side) []Cell { return s.groups.Group(g.Subjects, mean) })
	}
	for _, subject := range task.asked {
		task.add(OfSubject, subject, func(s *side) []Cell { return s.groups.Subject(subject) })
	}
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
