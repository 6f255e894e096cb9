package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner/ask"
)

func likeFlag(to *string) cli.Flag {
	return &cli.StringFlag{
		Name: "like", Destination: to, Category: "EVAL",
		Usage: "ask the questions of `RUN` before any others, so that the two share as many as they can; " +
			"its --limit, --seed, --subjects and --first hold where they are not given",
	}
}

// alike has the selection begin with the questions of the run that --like names. A run that goes on keeps those of its journal.
func (p program) alike(o *runOptions, set *dataset.Set) error {
	if rival := o.settings.UntilDecided; rival.Run != "" && o.begun.Kind == "" {
		if _, err := rival.Begun(); err != nil {
			return err
		}
		o.like = rival.Run
	}
	if o.like == "" {
		o.selection.Like = o.begun.Like
		return nil
	}
	tasks, err := task.Parse(o.tasks, set.Subjects())
	if err != nil {
		return err
	}
	named := slices.ContainsFunc(tasks, func(t task.Task) bool { return t.Subject != "" })
	notes, err := ask.Like(o.like, set, &o.selection, o.flags, named)
	if err != nil {
		return err
	}
	for _, note := range notes {
		p.note("proctor: " + note)
	}
	o.notes = notes
	return nil
}
