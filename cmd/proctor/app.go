package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/benching"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/cmd/proctor/machine"
	"proctor/cmd/proctor/options"
	"proctor/cmd/proctor/questions"
	"proctor/cmd/proctor/reading"
	"proctor/cmd/proctor/running"
	"proctor/runner/report/page"
)

// execute runs the command line and returns the exit code.
func execute(p *console.Program) int {
	ctx, stop := p.Interruptible()
	defer stop()
	registry.OnAbort(func(err error) { p.Abandon(err, "") })
	failed := p.CheckStdout()
	app := commandLine(p)
	args, all := flags.HelpAll(flags.Interspersed(app, p.Args))
	cli.HelpPrinter = flags.HelpPrinter(short, all)
	args, err := flags.WithSet(app, args, options.NamesSet)
	if err == nil {
		err = console.Interruption(ctx, app.RunContext(ctx, args))
	}
	if err == nil {
		err = failed()
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintln(p.Stderr, page.Visible("proctor: "+err.Error()))
	}
	return console.ExitCode(err)
}

// short are the flags that most people need, of commands that have many.
var short = flags.Short{
	"run": {"model", "gpu-layers", "data", "tasks", "limit", "prompt", "max-tokens", "temperature", "seed", "out", "resume",
		"dry-run", "format"},
	"sweep": {"types", "imatrix", "kv-type", "until-decided", "margin", "data", "tasks", "limit", "prompt", "gpu-layers", "out", "resume",
		"dry-run", "format"},
	"bench": {"n-prompt", "n-gen", "pg", "repetitions", "n-gpu-layers", "kernels", "batched", "exam", "slots", "rounds", "output"},
	"compare": {"margin", "rules", "metrics", "score", "gate", "flips", "with-text", "format", "o", "plots",
		"force"},
	"report":  {"format", "full", "rules", "plots", "confidence", "o", "items", "where"},
	"score":   {"against", "exact", "o", "rules", "format", "threads", "gpu-layers", "engine"},
	"imatrix": {"from", "out", "limit", "threads", "gpu-layers", "engine"},
	"plan":    {"data", "tasks", "direct", "limit", "half-width", "detect", "discordance", "runs", "model", "run", "full"},
	"render":  {"data", "tasks", "shots", "style", "prompt", "question", "variant", "all", "digest", "model"},
}

// commandLine is all commands.
func commandLine(p *console.Program) *cli.App {
	app := &cli.App{
		Name:    "proctor",
		Usage:   "evaluate local language models",
		Version: p.Version,
		Description: "proctor runs MMLU-Pro on local models (GGUF in-process, Ollama, OpenAI-compatible servers) and\n" +
			"reports accuracy with confidence intervals, and speed.\n\n" +
			"   proctor run                                         the embedded control model on the sample\n" +
			"   proctor run --model model-Q4_K_M.gguf --data mmlu-pro/ --limit 700\n" +
			"   proctor report runs/20261120-093000-model-mmlu_pro  report again\n\n" +
			console.ExitCodes,
		HideHelpCommand: true,
		Flags:           []cli.Flag{cli.HelpFlag}, // which the library leaves out where there is a command of that name
		Writer:          p.Stdout,
		ErrWriter:       p.Stderr,
		OnUsageError:    flags.UsageError(p.Args),
		ExitErrHandler:  func(*cli.Context, error) {},
		Action:          flags.HelpOrRefuse,
		Commands: []*cli.Command{
			running.Run(p), reading.Runs(p), reading.Report(p), reading.Show(p), reading.Compare(p), running.Score(p),
			running.Sweep(p), running.Imatrix(p), benching.Bench(p), running.Plan(p), questions.Render(p), questions.Style(p),
			reading.Rules(p), questions.Data(p), reading.Import(p), reading.Export(p), reading.Merge(p), machine.Models(p), machine.Inspect(p),
			machine.Bundle(p), machine.Doctor(p),
			completion(p), completing(p), machine.Engine(p), reading.Schema(p), manual(p), helpCommand(p), versionCommand(p),
		},
	}
	for _, command := range app.Commands {
		command.Description += "\n\n" + console.ExitCodes
		if len(command.Subcommands) > 0 && command.Action == nil {
			command.Action = flags.HelpOrRefuse
		}
		for _, each := range append(command.Subcommands, command) {
			each.OnUsageError = app.OnUsageError
			each.HideHelpCommand = true
		}
	}
	return app
}
