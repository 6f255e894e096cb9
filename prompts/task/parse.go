package task

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Parse reads a list such as "mmlu_pro,binary_biology". A name, in full or short, may end in a subject of the set, whose
// subjects are given, as [Subject] takes it; "-" and "_" are the same.
func Parse(list string, subjects []string) ([]Task, error) {
	var tasks []Task
	for name := range strings.SplitSeq(list, ",") {
		task, err := parse(name, subjects)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(tasks, func(t Task) bool { return t.String() == task.String() }) {
			return nil, fmt.Errorf("task %s is named twice", task)
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
	task, subject, known := begun(name)
	if known && subject == "" && !strings.HasSuffix(name, "_") {
		return task, nil
	}
	if known {
		var err error
		switch task.Subject, err = Subject(subject, subjects); {
		case err == nil:
			return task, nil
		case errors.Is(err, errAmbiguous):
			return Task{}, fmt.Errorf("task %q: %w", name, err)
		}
	}
	example := "SUBJECT"
	if len(subjects) > 0 {
		example = subjects[0]
	}
	return Task{}, fmt.Errorf("unknown task %q; there are %s, each also for one subject, as in %s_%s (subjects: %s)",
		name, Names(), All[0].Name, typed(example), strings.Join(subjects, ", "))
}

// begun is the task that a name begins with, the longest of several, and what comes after.
func begun(name string) (t Task, after string, known bool) {
	key, longest := underscored(typed(name)), 0
	for _, task := range All {
		for _, own := range []string{task.Name, task.Short} {
			if rest, begins := strings.CutPrefix(key+"_", own+"_"); begins && len(own) > longest {
				t, after, known, longest = task, strings.TrimSuffix(rest, "_"), true, len(own)
			}
		}
	}
	return t, after, known
}

var (
	errUnknown   = errors.New("unknown")
	errAmbiguous = errors.New("ambiguous")
)

// Subject finds a subject as people type it: in any case, "_" or "-" for a space, no more of it than tells it from the others.
func Subject(name string, subjects []string) (string, error) {
	key := underscored(typed(name))
	var begins []string
	for _, subject := range subjects {
		switch have := underscored(typed(subject)); {
		case have == key:
			return subject, nil
		case key != "" && strings.HasPrefix(have, key):
			begins = append(begins, subject)
		}
	}
	switch len(begins) {
	case 0:
		return "", fmt.Errorf("%w subject %q", errUnknown, name)
	case 1:
		return begins[0], nil
	}
	return "", fmt.Errorf("%w subject %q: it could be %s", errAmbiguous, name, english.OxfordWordSeries(begins, "or"))
}

// typed is a subject as people type it: lower case, "_" for a space.
func typed(subject string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(subject)), " ", "_")
}

func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }
