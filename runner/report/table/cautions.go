package table

import (
	"slices"
	"strings"

	"proctor/runner/mark/pairs"
)

// check warns of differences that keep a task's runs from being compared, and of problems of each run.
func (t *Table) check(task *Task) error {
	all := task.there()
	for i, s := range all {
		for _, warning := range s.Warnings {
			t.warn(task, s, warning, false)
		}
		if i == 0 {
			continue
		}
		warnings, err := pairs.Check(&all[0].Run, &s.Run, true)
		if err != nil {
			return err
		}
		for _, warning := range warnings {
			t.warn(task, s, "beside "+all[0].Name+": "+warning, true)
		}
	}
	return nil
}

// A caution is a warning with the runs that it concerns.
type caution struct {
	text   string
	of     []string
	beside bool // it concerns the comparison, so no run's own report has it
}

func (t *Table) warn(task *Task, s *side, text string, beside bool) {
	where := s.Name
	if len(t.Tasks) > 1 {
		where += " (" + task.Title + ")"
	}
	i := slices.IndexFunc(t.cautions, func(c caution) bool { return c.text == text })
	if i < 0 {
		i = len(t.cautions)
		t.cautions = append(t.cautions, caution{text: text, beside: beside})
	}
	t.cautions[i].of = append(t.cautions[i].of, where)
}

// warned words the warnings, each once: all of them, or only those that no run's report has.
func (t *Table) warned(all bool) []string {
	runs := 0
	for _, task := range t.Tasks {
		runs += len(task.sides)
	}
	var warnings []string
	for _, c := range t.cautions {
		if !all && !c.beside {
			continue
		}
		of := strings.Join(c.of, ", ")
		if runs > 1 && len(c.of) == runs {
			of = "all runs"
		}
		warnings = append(warnings, of+": "+c.text)
	}
	return warnings
}
