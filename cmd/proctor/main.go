// Proctor runs MMLU-Pro on local models (GGUF in-process, Ollama, OpenAI-compatible servers) and reports accuracy with
// confidence intervals, and speed. The manual is `proctor help` and the help of each command.
//
// It is wiring only, with a file cmd_NAME.go for each command: flags fill the command's options, one call does the work, a format writes
// the result. Nothing here decides about a backend, a task or a format. Package flags has the building blocks of flags, package console
// what several commands share:
//
//	flags → console → cmd_NAME.go → main.go
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"proctor/backends/registry"
	"proctor/cmd/proctor/console"
	"proctor/cmd/proctor/flags"
	"proctor/runner/report/page"
)

// version is set by the linker.
var version = "devel"

func main() {
	registry.Child()
	p := &console.Program{
		Stdout:   os.Stdout,
		Stderr:   os.Stderr,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
		Now:      time.Now,
		Args:     os.Args,
		Version:  version,
		Exit:     os.Exit,
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		p.OnScreen(os.Stdout, os.Getenv)
		p.Columns, _, _ = term.GetSize(int(os.Stdout.Fd())) // 0 if unknown
	} else {
		p.Stdout, p.Exact = page.Screen(os.Stdout), os.Stdout // its final reader may be a terminal
	}
	os.Exit(execute(p))
}

// execute runs the command line and returns the exit code.
func execute(p *console.Program) int {
	ctx, stop := p.Interruptible()
	defer stop()
	failed := p.CheckStdout()
	app := commandLine(p)
	args, all := flags.HelpAll(p.Args)
	cli.HelpPrinter = flags.HelpPrinter(all)
	args, err := flags.Interspersed(app, args, console.NamesSet)
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

func commandLine(p *console.Program) *cli.App {
	about := console.WordsOf("proctor").Command(&cli.Command{})
	app := &cli.App{
		Name:            about.Name,
		Usage:           about.Usage,
		Version:         p.Version,
		Description:     about.Description + "\n\n" + console.ExitCodes,
		HideHelpCommand: true,
		Flags:           []cli.Flag{cli.HelpFlag}, // the library omits it if there is a help command
		Writer:          p.Stdout,
		ErrWriter:       p.Stderr,
		OnUsageError:    flags.UsageError(p.Args),
		ExitErrHandler:  func(*cli.Context, error) {},
		Action:          flags.HelpOrRefuse,
		Commands: []*cli.Command{
			Run(p), Report(p), Show(p), Compare(p), Score(p),
			Sweep(p), Bench(p), Plan(p), Render(p), Style(p),
			Rules(p), Data(p), Import(p), Merge(p), Models(p), Inspect(p),
			Bundle(p), Doctor(p),
			Engine(p), Schema(p), helpCommand(p), versionCommand(),
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

// versionCommand is `proctor version`, which people type besides --version.
func versionCommand() *cli.Command {
	return console.WordsOf("version").Command(&cli.Command{
		Action: flags.Only(func(c *cli.Context) error {
			cli.ShowVersion(c)
			return nil
		}),
	})
}
