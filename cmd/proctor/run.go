package main

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/prompts/task"
	"proctor/runner/grade"
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
			&cli.BoolFlag{Name: "stop-at-answer", Usage: "end a completion as soon as nothing that could follow changes its letter: fewer tokens, the same letters; with --rules " + namesOf(grade.Deciding(task.All[0].Name)) + " and raw prompts", Category: "SAMPLING"},
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
	shape, err := report.Formats.Named(c.String("format"))
	if err != nil {
		return err
	}
	s := &sitting{program: p, flags: c, format: shape, out: c.String("out")}
	if err := s.plan(); err != nil {
		return err
	}
	began := s.now()
	if s.model, err = s.openModel(c.Context); err != nil {
		return err
	}
	defer s.model.Close()
	if err := s.prepare(c.Context); err != nil {
		return err
	}
	s.load = s.now().Sub(began)
	return s.sitAll(c.Context)
}
