package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/open"
	"proctor/prompts"
	"proctor/prompts/task"
	"proctor/runner"
	"proctor/runner/grade"
	"proctor/runner/journal"
	"proctor/runner/report"
)

func (p program) run() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "ask a model every question, keep its answers in a journal, report",
		Description: "Without flags it sits the embedded control model through the bundled sample.\n\n" +
			"   proctor run --model model-Q4_K_M.gguf --data mmlu-pro/ --limit 700 --seed 1\n" +
			"   proctor run --model model-Q4_K_M.gguf --tasks mmlu_pro_math,mmlu_pro_physics --out runs/q4\n" +
			"   proctor run --model model-Q4_K_M.gguf --data mmlu-pro/ --until-half-width 0.02\n" +
			"   proctor run --model ollama:llama3.2:3b --concurrency 4                 asked of an Ollama server\n" +
			"   proctor run --model ollama:llama3.2:3b --in-process                    its file, without the server\n" +
			"   proctor run --out runs/q4 --resume      with the flags it was begun with\n\n" +
			"Ctrl-C ends the run cleanly: what was answered is kept and reported, and --resume goes on from there.",
		Flags: slices.Concat(examFlags(), effortFlags(), promptFlags(), modelFlags(), serverFlags(), []cli.Flag{
			&cli.StringFlag{Name: "tune", Value: auto, Usage: "auto tries slots, attention and batch sizes out before a run that takes minutes, and remembers what was fastest; off does not", Category: "MODEL"},
			&cli.IntFlag{Name: "max-tokens", Value: 2048, Usage: "end a completion after `N` tokens", Category: "SAMPLING"},
			&cli.BoolFlag{Name: "stop-at-answer", Usage: "end a completion as soon as nothing that could follow changes its letter: fewer tokens, the same letters; with --rules " + grade.Names(grade.Deciding(task.All[0].Name)) + " and raw prompts", Category: "SAMPLING"},
			&cli.Float64Flag{Name: "temperature", Usage: "`T`; 0 is greedy", Category: "SAMPLING"},
			&cli.IntFlag{Name: "top-k", DefaultText: "all", Usage: "draw from the `K` likeliest tokens", Category: "SAMPLING"},
			&cli.Float64Flag{Name: "top-p", Value: 1, Usage: "draw from the likeliest tokens that make up probability `P`", Category: "SAMPLING"},
			&cli.Float64Flag{Name: "min-p", DefaultText: "none dropped", Usage: "drop tokens below `P` times the likeliest one's probability", Category: "SAMPLING"},
			&cli.StringFlag{Name: "out", Usage: "`DIR` of the run (default: runs/TIME-MODEL-TASK)", Category: "RESULT"},
			&cli.BoolFlag{Name: "resume", Usage: "go on with the run in --out: ask what has no answer yet", Category: "RESULT"},
			rulesFlag("the style's own"),
			formatFlag("report", report.Formats),
			&cli.Float64Flag{Name: "fail-below", DefaultText: "no gate", Usage: "exit 1 if the lower bound of the accuracy's interval is below `X`", Category: "RESULT"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show no progress", Category: "RESULT"},
		}),
		Action: p.runAction,
	}
}

func (p program) runAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Bool("resume") && !c.IsSet("out") {
		return errors.New("--resume needs --out, the folder of the run to go on with")
	}
	format, err := report.Formats.Named(c.String("format"))
	if err != nil {
		return err
	}
	session := &runner.Session{
		Out: c.String("out"), Resume: c.Bool("resume"), Version: version, Host: open.Host, Now: p.now, Warn: p.warn,
	}
	progress := &progress{}
	if !c.Bool("quiet") {
		session.Told = func(line string) { fmt.Fprintln(p.stderr, line) }
		session.Interim = p.interim(c.Float64("until-half-width"))
		session.Watch = func(header *journal.Header, total, done int) func(*journal.Record) {
			progress = p.progress(header, total, done)
			return progress.item
		}
	}
	if err := p.planEvals(c, session); err != nil {
		return err
	}
	model, err := p.prepare(c, session)
	if err != nil {
		return err
	}
	defer model.Close()
	var verdicts []error
	stopped := session.Run(c.Context, func(o runner.Outcome) error {
		progress.end()
		if err := format.Write(p.stdout, o.Report); err != nil {
			return err
		}
		verdicts = append(verdicts, p.verdict(c, session, o))
		return nil
	})
	return errors.Join(append(verdicts, stopped)...)
}

// planEvals plans every task that the flags name.
func (p program) planEvals(c *cli.Context, session *runner.Session) error {
	settings, err := settingsOf(c)
	if err != nil {
		return err
	}
	if err := effortOf(c, &settings); err != nil {
		return err
	}
	selection, err := selectionOf(c)
	if err != nil {
		return err
	}
	set, err := p.openSet(c)
	if err != nil {
		return err
	}
	tasks, err := task.Parse(c.String("tasks"), set.Subjects())
	if err != nil {
		return err
	}
	var evals []prompts.Eval
	for _, task := range tasks {
		eval, err := evalOf(c, task)
		if err != nil {
			return err
		}
		evals = append(evals, eval)
	}
	return session.Plan(set, evals, selection, settings)
}

// prepare opens the model and has it get ready for the session. A run that goes on has as many items in flight as it
// had before, unless a flag says otherwise: greedy text can depend on it.
func (p program) prepare(c *cli.Context, session *runner.Session) (backends.Model, error) {
	options, err := p.modelOptions(c)
	if err != nil {
		return nil, err
	}
	switch choice := c.String("tune"); choice {
	case auto:
		options.Tune = true
	case "off":
	default:
		return nil, fmt.Errorf("--tune %s: give auto or off", choice)
	}
	if earlier := session.Earlier(); earlier.Backend.Name != "" {
		options.Like = &earlier.Backend
	}
	began := p.now()
	model, err := open.Model(c.Context, options)
	if err != nil {
		return nil, err
	}
	form, err := formOf(c)
	if err == nil {
		err = session.Prepare(c.Context, model, form, began)
	}
	if err != nil {
		return nil, errors.Join(err, model.Close())
	}
	return model, nil
}

// verdict is what the exit code is made of.
func (p program) verdict(c *cli.Context, session *runner.Session, o runner.Outcome) error {
	goOn := slices.Clone(p.args)
	if !c.IsSet("out") {
		goOn = append(goOn, "--out", session.Out)
	}
	if !session.Resume {
		goOn = append(goOn, "--resume")
	}
	resume := shellescape.QuoteCommand(goOn)
	switch {
	case errors.Is(context.Cause(c.Context), errInterrupted):
		return fmt.Errorf("%w; to go on: %s", errInterrupted, resume)
	case o.Err != nil:
		return fmt.Errorf("%w: %w; what was answered is kept; to go on: %s", errIncomplete, o.Err, resume)
	case !o.Report.Completeness.Complete:
		return fmt.Errorf("%w: %d items have no completion; to ask them again: %s",
			errIncomplete, o.Report.Completeness.Missing+o.Report.Completeness.Errors, resume)
	}
	bound, score := c.Float64("fail-below"), o.Report.Headline
	if c.IsSet("fail-below") && (score.CI.IsZero() || score.CI.Low < bound) {
		return fmt.Errorf("%w: the lower bound of %s, %.4f, is below --fail-below %g", errGate, score.Name, score.CI.Low, bound)
	}
	return nil
}
