package task

import (
	"fmt"
	"slices"
	"strings"
)

// Parse reads a list such as "mmlu_pro,mmlu_pro_binary_biology". A name may end in a subject of the set, whose subjects
// are given; "-" and "_" are the same.
func Parse(list string, subjects []string) ([]Task, error) {
	var tasks []Task
	for name := range strings.SplitSeq(list, ",") {
		task, err := parse(name, subjects)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(tasks, func(t Task) bool { return t.String() == task.String() }) {
			return nil, fmt.Errorf("prompts: task %s is named twice", task)
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// String is the task's name with its subject, as people type it: "mmlu_pro_binary_computer_science".
func (t Task) String() string {
	if t.Subject == "" {
		return t.Name
	}
	return t.Name + "_" + typed(t.Subject)
}

func parse(name string, subjects []string) (Task, error) {
	name = strings.TrimSpace(name)
	key := underscored(typed(name))
	for _, task := range All {
		if key == task.Name {
			return task, nil
		}
		for _, subject := range subjects {
			if task.Subject = subject; key == underscored(task.String()) {
				return task, nil
			}
		}
	}
	example := "SUBJECT"
	if len(subjects) > 0 {
		example = subjects[0]
	}
	return Task{}, fmt.Errorf("prompts: unknown task %q; there are %s, each also for one subject, as in %s_%s (subjects: %s)",
		name, Names(), All[0].Name, typed(example), strings.Join(subjects, ", "))
}

// typed is a subject as people type it: lower case, "_" for a space.
func typed(subject string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(subject)), " ", "_")
}

func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }
