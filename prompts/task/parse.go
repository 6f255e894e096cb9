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
		if i := slices.IndexFunc(tasks, func(t Task) bool { return t.String() == task.String() }); i >= 0 {
			if other := tasks[i].Subject; other != task.Subject {
				return nil, fmt.Errorf("the tasks for subjects %q and %q are both called %s: run them one by one", other, task.Subject, task)
			}
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
	task, subject, known := splitName(name)
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

// splitName returns the task whose name a text begins with, the longest of several, and what follows it.
func splitName(name string) (t Task, after string, known bool) {
	longest := 0
	for _, task := range All {
		for _, own := range []string{task.Name, task.Short} {
			n := len(own)
			if n <= longest || len(name) < n || underscored(typed(name[:n])) != own {
				continue
			}
			if rest := name[n:]; rest == "" || strings.ContainsRune("_- ", rune(rest[0])) {
				t, after, known, longest = task, rest[min(1, len(rest)):], true, n
			}
		}
	}
	return t, after, known
}

var (
	// ErrUnknown is the error of a subject that a set lacks.
	ErrUnknown   = errors.New("unknown")
	errAmbiguous = errors.New("ambiguous")
)

// Subject finds a subject as people type it: by its exact name, else in any case with "_" or "-" for a space, else by its
// beginning. Where several subjects fit equally well, the error names them.
func Subject(name string, subjects []string) (string, error) {
	if exact := strings.TrimSpace(name); slices.Contains(subjects, exact) {
		return exact, nil
	}
	key := underscored(typed(name))
	var same, begin []string
	for _, subject := range subjects {
		switch have := underscored(typed(subject)); {
		case have == key:
			same = append(same, subject)
		case key != "" && strings.HasPrefix(have, key):
			begin = append(begin, subject)
		}
	}
	candidates := same
	if len(same) == 0 {
		candidates = begin
	}
	switch len(candidates) {
	case 0:
		return "", fmt.Errorf("%w subject %q", ErrUnknown, name)
	case 1:
		return candidates[0], nil
	}
	return "", fmt.Errorf("%w subject %q: it could be %s", errAmbiguous, name, english.OxfordWordSeries(candidates, "or"))
}

// typed is a subject as people type it: lower case, "_" for a space.
func typed(subject string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(subject)), " ", "_")
}

func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }
