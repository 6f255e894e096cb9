package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/dataset"
	"proctor/prompts/task"
	"proctor/runner"
	"proctor/runner/grade"
	"proctor/runner/page"
	"proctor/runner/stats"
)

// examFlags say which questions are asked, and how: the flags that run and render share.
func examFlags() []cli.Flag {
	return []cli.Flag{
		dataFlag(),
		skipBadRowsFlag(),
		&cli.StringFlag{Name: "tasks", Aliases: []string{"task"}, Value: task.All[0].Name, Usage: "`LIST` of " + task.Names() + ", each also with a subject, as in " + task.All[0].Name + "_math", Category: "EXAM"},
		&cli.StringFlag{Name: "subjects", Usage: "`LIST` of subjects to ask, as in \"math,computer science\" (default: all)", Category: "EXAM"},
		&cli.IntFlag{Name: "limit", DefaultText: "all", Usage: "ask `N` questions, drawn evenly from the subjects", Category: "EXAM"},
		&cli.BoolFlag{Name: "first", Usage: "with --limit: the first N instead of a draw", Category: "EXAM"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed `S` of the draw and of sampling", Category: "EXAM"},
		&cli.IntFlag{Name: "shots", Value: prompts.MaxShots, Usage: "`N` worked examples before each question, 0 to 5", Category: "EXAM"},
		&cli.StringFlag{Name: "style", Usage: "prompt layout `NAME`: " + styleNames() + " (default: the task's own)", Category: "EXAM"},
		&cli.StringFlag{Name: "pattern", Usage: task.Names(task.EachOrder) + ": `PATTERN` " + task.Circular + " (every rotation) or " + task.AllPossible + " (every order)", Category: "EXAM"},
		&cli.IntFlag{Name: "max-patterns", Usage: "with --pattern " + task.AllPossible + ": at most `N` orders a question, drawn with the seed", DefaultText: "all, refused above 24 a question", Category: "EXAM"},
		&cli.BoolFlag{Name: "balance", Usage: task.Names(task.EachOption) + ": ask only about the gold option and one other", Category: "EXAM"},
	}
}

func dataFlag() cli.Flag {
	return &cli.StringFlag{Name: "data", Usage: "`REF` of the questions: a parquet or JSON Lines file, a folder with a test and a validation file, an imported set's name, or sample (default: the imported mmlu-pro, else sample)", Category: "EXAM"}
}

func skipBadRowsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "skip-bad-rows", Usage: "leave rows out that cannot be questions, instead of refusing the file", Category: "EXAM"}
}

func jsonFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "as JSON"} }

// formatFlag chooses one of a thing's formats.
func formatFlag[T any](thing string, formats page.Formats[T]) cli.Flag {
	return &cli.StringFlag{Name: "format", Value: formats[0].Name, Usage: "`FORMAT` of the " + thing + ": " + formats.Names(), Category: "RESULT"}
}

func rulesFlag(otherwise string) cli.Flag {
	return &cli.StringFlag{Name: "rules", Usage: "mark with rule `SET`: " + grade.Names(grade.Sets()) + " (default: " + otherwise + ")", Category: "RESULT"}
}

func confidenceFlag() cli.Flag {
	return &cli.Float64Flag{Name: "confidence", Value: stats.DefaultConfidence, Usage: "confidence `LEVEL` of the intervals, between 0 and 1"}
}

func checkConfidence(c *cli.Context) error {
	if level := c.Float64("confidence"); !(level > 0 && level < 1) {
		return fmt.Errorf("--confidence %g: it must lie between 0 and 1, as in 0.95", level)
	}
	return nil
}

func outputFlag() cli.Flag {
	return &cli.StringFlag{Name: "o", Usage: "write to `FILE` instead of standard output"}
}

// openSet opens --data and passes its warnings on.
func (p program) openSet(c *cli.Context) (*dataset.Set, error) {
	set, err := dataset.Open(c.String("data"), dataset.Options{SkipBadRows: c.Bool("skip-bad-rows")})
	if err != nil {
		return nil, err
	}
	for _, warning := range set.Warnings {
		p.warn(warning)
	}
	return set, nil
}

// selectionOf reads which questions to ask.
func selectionOf(c *cli.Context) (dataset.Selection, error) {
	if c.IsSet("limit") && c.Int("limit") < 1 {
		return dataset.Selection{}, fmt.Errorf("--limit %d: ask at least 1 question, or leave the flag out to ask all", c.Int("limit"))
	}
	if c.Bool("first") && !c.IsSet("limit") {
		return dataset.Selection{}, fmt.Errorf("--first goes with --limit N")
	}
	selection := dataset.Selection{Limit: c.Int("limit"), First: c.Bool("first"), Seed: c.Uint64("seed")}
	if c.IsSet("subjects") {
		selection.Subjects = strings.Split(c.String("subjects"), ",")
	}
	return selection, nil
}

// evalOf reads how a task's questions become prompts.
func evalOf(c *cli.Context, task task.Task) (prompts.Eval, error) {
	style, err := prompts.LookupStyle(cmp.Or(c.String("style"), task.Style))
	if err != nil {
		return prompts.Eval{}, err
	}
	return prompts.Eval{
		Task: task, Style: style, Shots: c.Int("shots"),
		Expansion: prompts.Expansion{
			Pattern: c.String("pattern"), MaxPatterns: c.Int("max-patterns"),
			Balance: c.Bool("balance"), Seed: c.Uint64("seed"),
		},
	}, nil
}

// oneEval reads the only eval that the flags name.
func oneEval(c *cli.Context, set *dataset.Set) (prompts.Eval, error) {
	tasks, err := task.Parse(c.String("tasks"), set.Subjects())
	if err != nil {
		return prompts.Eval{}, err
	}
	if len(tasks) > 1 {
		return prompts.Eval{}, fmt.Errorf("%s takes one task, --tasks names %d", c.Command.Name, len(tasks))
	}
	return evalOf(c, tasks[0])
}

// itemsOf renders all the items that the flags name.
func itemsOf(c *cli.Context, set *dataset.Set) (prompts.Eval, []prompts.Item, error) {
	eval, err := oneEval(c, set)
	if err != nil {
		return eval, nil, err
	}
	selection, err := selectionOf(c)
	if err != nil {
		return eval, nil, err
	}
	if eval.Task.Subject != "" {
		selection.Subjects = []string{eval.Task.Subject}
	}
	questions, err := set.Select(selection)
	if err != nil {
		return eval, nil, err
	}
	items, err := eval.Items(set, questions)
	return eval, items, err
}

// settingsOf reads how tokens are drawn and how many.
func settingsOf(c *cli.Context) (runner.Settings, error) {
	s := backends.Sampling{
		Temperature: c.Float64("temperature"), TopK: c.Int("top-k"), TopP: c.Float64("top-p"), MinP: c.Float64("min-p"),
		Seed: uint32(c.Uint64("seed")),
	}
	switch {
	case c.Int("max-tokens") < 1:
		return runner.Settings{}, fmt.Errorf("--max-tokens %d: a completion needs at least 1 token", c.Int("max-tokens"))
	case s.Temperature < 0:
		return runner.Settings{}, fmt.Errorf("--temperature %g: it cannot be negative", s.Temperature)
	case s.TopK < 0:
		return runner.Settings{}, fmt.Errorf("--top-k %d: it cannot be negative", s.TopK)
	case s.TopP <= 0 || s.TopP > 1:
		return runner.Settings{}, fmt.Errorf("--top-p %g: it must be above 0 and at most 1", s.TopP)
	case s.MinP < 0 || s.MinP >= 1:
		return runner.Settings{}, fmt.Errorf("--min-p %g: it must be at least 0 and below 1", s.MinP)
	}
	for _, name := range []string{"top-k", "top-p", "min-p"} {
		if c.IsSet(name) && s.Temperature == 0 {
			return runner.Settings{}, fmt.Errorf("--%s has no effect at --temperature 0, which always takes the likeliest token", name)
		}
	}
	return runner.Settings{RuleSet: c.String("rules"), Sampling: s, MaxTokens: c.Int("max-tokens"), StopAtAnswer: c.Bool("stop-at-answer")}, nil
}

// noArguments refuses what is left over after the flags.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("%s takes flags only, not %q: `proctor %s --help` lists them", c.Command.Name, c.Args().First(), c.Command.Name)
	}
	return nil
}

func styleNames() string {
	names := make([]string, len(prompts.Styles))
	for i, style := range prompts.Styles {
		names[i] = style.Name
	}
	return strings.Join(names, ", ")
}
