package task

import (
	"fmt"
	"slices"
	"strings"
)

// Behind the names of direct variants.
const (
	directName = "_direct"
	directForm = " direct"
)

// AsDirect is the task's direct variant: the same items in the style without reasoning, and in the place of a completion the
// probabilities of the letters where the answer stands. A variant is its own.
func (t Task) AsDirect() Task {
	if t.Direct {
		return t
	}
	style, version, _ := strings.Cut(t.Style, "@")
	t.Name, t.Short, t.Direct = t.Name+directName, t.Short+directName, true
	t.Form, t.Style = strings.TrimSpace(t.Form+directForm), style+"-direct@"+version
	t.Summary += "; no reasoning, the letters' probabilities"
	return t
}

// AllDirect are the direct variants of tasks. A task and its variant together are refused: they would be the same.
func AllDirect(tasks []Task) ([]Task, error) {
	direct := make([]Task, len(tasks))
	named := map[string]bool{}
	for i, t := range tasks {
		direct[i] = t.AsDirect()
		name := direct[i].String()
		if named[name] {
			return nil, fmt.Errorf("task %s is named twice", name)
		}
		named[name] = true
	}
	return direct, nil
}

// Generating are the tasks that have completions: all but the direct variants.
func Generating() []Task {
	return slices.DeleteFunc(slices.Clone(All), func(t Task) bool { return t.Direct })
}

// withDirect are tasks and, behind them, their direct variants.
func withDirect(tasks ...Task) []Task {
	for _, t := range tasks {
		tasks = append(tasks, t.AsDirect())
	}
	return tasks
}
