package table

import (
	"slices"
	"strings"

	"proctor/runner/mark/pairs"
)

// check warns of what keeps a task's runs from being set side by side, and of what is the matter with each.
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

// A caution is a warning with the runs that it holds of.
type caution struct {
	text   string
	of     []string
	beside bool // it is of runs beside each other: no report of one has it
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

// warned words the warnings, each once: all of them, or those alone that no run's report has.
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
