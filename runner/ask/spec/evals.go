package spec

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
)

// Options are how the set's files are read.
func (d Data) Options() dataset.Options {
	return dataset.Options{Map: d.Map.Mapping, Split: d.Split, ShotsFile: d.ShotsFile}
}

// Refs are the sets of a list with commas between, each as [dataset.Open] takes it. A path may have commas itself.
func (d Data) Refs() []string {
	if _, err := os.Stat(d.Ref); err == nil {
		return []string{d.Ref}
	}
	return strings.Split(d.Ref, ",")
}

// Selection is the draw of questions.
func (q Questions) Selection() dataset.Selection {
	s := dataset.Selection{Subjects: q.Subjects.Names, Chosen: q.Subjects.Places, Limit: q.Limit.Limit, First: q.First, Seed: q.Seed,
		PerSubject: q.Limit.PerSubject, Share: q.Limit.Share}
	if len(q.IDs.Chosen) > 0 {
		s.Chosen = q.IDs.Chosen
	}
	return s
}

// Of is the selection for a task, which may name its subject.
func (q Questions) Of(task task.Task) dataset.Selection {
	s := q.Selection()
	if task.Subject != "" {
		s.Subjects = []string{task.Subject}
	}
	return s
}

// Evals are the tasks, each in its style.
func (q Questions) Evals(set *dataset.Set) ([]prompts.Eval, error) {
	tasks, err := task.Parse(q.Tasks, set.Subjects())
	if err == nil && q.Direct {
		tasks, err = task.AllDirect(tasks)
	}
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(tasks, func(t task.Task) bool { return t.Subject != "" }); i >= 0 && len(q.Selection().Chosen) > 0 {
		return nil, fmt.Errorf("task %s names a subject already: choose the questions one way or the other", tasks[i])
	}
	evals := make([]prompts.Eval, len(tasks))
	for i, each := range tasks {
		style, err := q.Style.of(each)
		if err != nil {
			return nil, err
		}
		shots := int(q.Shots)
		if q.Shots == AutoShots {
			shots = prompts.MaxShots
			if len(set.Validation) == 0 || !style.ShowsShots() {
				shots = 0
			}
		}
		evals[i] = prompts.Eval{Task: each, Style: style, Shots: shots, Pattern: q.Pattern, System: q.System.String()}
	}
	return evals, nil
}

// of is the style for a task.
func (s Style) of(t task.Task) (prompts.Style, error) {
	if s.Text != "" {
		return prompts.ParseStyle(cmp.Or(s.Given, "the journal's style"), s.Text)
	}
	name := cmp.Or(s.Given, t.Style)
	for _, pinned := range s.Pinned {
		if unversioned(pinned) == unversioned(name) {
			name = pinned
		}
	}
	return prompts.LookupStyle(name)
}

func unversioned(style string) string {
	name, _, _ := strings.Cut(style, "@")
	return name
}

// One is the only eval that the flags of a command name.
func (q Questions) One(set *dataset.Set, command string) (prompts.Eval, error) {
	evals, err := q.Evals(set)
	if err != nil {
		return prompts.Eval{}, err
	}
	if len(evals) > 1 {
		return prompts.Eval{}, fmt.Errorf("%s takes one task, %s names %d", command, setting.Tasks, len(evals))
	}
	return evals[0], nil
}

// Items renders all the items that the flags of a command name.
func (q Questions) Items(set *dataset.Set, command string) (prompts.Eval, []prompts.Item, error) {
	eval, err := q.One(set, command)
	if err != nil {
		return eval, nil, err
	}
	questions, err := set.Select(q.Of(eval.Task))
	if err != nil {
		return eval, nil, err
	}
	items, err := eval.Items(set, questions)
	return eval, items, err
}
