package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/runner/ask/progress"
	"proctor/runner/ask/progress/screen"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/report/page"
)

// program is the world that the commands see.
type program struct {
	stdout   io.Writer      // results
	coloured io.Writer      // the same as a terminal that shows colours, for what is fit for one; nil where it is none
	stderr   io.Writer      // diagnostics and progress
	screen   *screen.Screen // the same as a terminal that lines can be drawn over on; nil where it is none
	terminal bool           // stderr is a terminal
	quiet    bool           // say nothing but errors
	objects  bool           // say it in JSON
	exact    io.Writer      // for prompts, which other programs need byte for byte; nil where stdout is a terminal
	now      func() time.Time
	args     []string       // the command line, the program's name included
	exit     func(code int) // leaves at once
}

// main runs the command line and returns the exit code.
func (p *program) main() int {
	ctx, stop := p.interruptible()
	defer stop()
	registry.OnAbort(func(err error) { p.abandon(err, "") })
	out := &checked{to: p.stdout}
	p.stdout = out
	app := p.app()
	args, all := flags.HelpAll(flags.Interspersed(app, p.args))
	cli.HelpPrinter = flags.HelpPrinter(short, all)
	err := interruption(ctx, app.RunContext(ctx, args))
	if err == nil {
		err = out.failed // help has no error of its own
	}
	if err == nil {
		return exitOK
	}
	if message := err.Error(); message != "" {
		fmt.Fprintln(p.stderr, page.Visible("proctor: "+message))
	}
	return exitCode(err)
}

// abandon ends the program where the engine gave up, which is said with what can be done.
func (p *program) abandon(err error, todo string) {
	if p.screen != nil {
		p.screen.Stop()
	}
	fmt.Fprintln(p.stderr, page.Visible(fmt.Sprintf("proctor: %v%s", err, todo)))
	p.exit(exitEngine)
}

// short are the flags that most people need, of commands that have many.
var short = flags.Short{
	"run": {"model", "gpu-layers", "data", "tasks", "limit", "prompt", "max-tokens", "temperature", "seed", "out", "resume",
		"dry-run", "format"},
	"sweep": {"types", "imatrix", "kv-type", "until-decided", "margin", "data", "tasks", "limit", "prompt", "gpu-layers", "out", "resume",
		"dry-run", "format"},
	"bench": {"n-prompt", "n-gen", "pg", "repetitions", "n-gpu-layers", "kernels", "batched", "exam", "slots", "rounds", "output"},
	"compare": {"margin", "rules", "metrics", "score", "fail-if-worse", "fail-unless-not-worse", "flips", "with-text", "format", "o", "plots",
		"force"},
}

// app is the command line.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:    "proctor",
		Usage:   "evaluate local language models",
		Version: version,
		Description: "proctor runs MMLU-Pro on local models (GGUF in-process, Ollama, OpenAI-compatible servers) and\n" +
			"reports accuracy with confidence intervals, and speed.\n\n" +
			"   proctor run                                         the embedded control model on the sample\n" +
			"   proctor run --model model-Q4_K_M.gguf --data mmlu-pro/ --limit 700\n" +
			"   proctor report runs/20261120-093000-model-mmlu_pro  report again\n\n" +
			exitCodes,
		HideHelpCommand: true,
		Flags:           []cli.Flag{cli.HelpFlag}, // which the library leaves out where there is a command of that name
		Writer:          p.stdout,
		ErrWriter:       p.stderr,
		OnUsageError:    flags.UsageError(p.args),
		ExitErrHandler:  func(*cli.Context, error) {},
		Action:          flags.HelpOrRefuse,
		Commands: []*cli.Command{
			p.run(), p.runs(), p.report(), p.show(), p.compare(), p.score(), p.sweep(), p.imatrix(), p.bench(), p.plan(), p.render(),
			p.style(), p.rules(), p.data(), p.importLog(), p.merge(), p.models(), p.inspect(), p.bundle(), p.doctor(),
			p.completion(), p.completing(), p.engine(), p.schema(), p.manual(), p.helpCommand(), p.versionCommand(),
		},
	}
	for _, command := range app.Commands {
		command.Description += "\n\n" + exitCodes
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

// warn tells a person what may matter for the result.
func (p *program) warn(text string) { p.note("proctor: warning: " + text) }

// note writes a line for a person, in the place of a line of progress that may be there.
func (p *program) note(line string) {
	if p.quiet {
		return
	}
	if p.objects {
		p.object(progress.Note{Kind: "note", Text: line})
		return
	}
	line = page.Visible(line)
	if p.terminal {
		line = "\r" + line + "\x1b[K"
	}
	fmt.Fprintln(p.stderr, line)
}

// interruptible returns a context that the first interrupt ends; the second one leaves the program at once.
func (p *program) interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		if _, ok := <-signals; !ok {
			return
		}
		fmt.Fprintln(p.stderr, "\nproctor: stopping. Interrupt again to leave at once.")
		cancel(errInterrupted)
		if _, ok := <-signals; ok {
			if p.screen != nil {
				p.screen.Stop()
			}
			p.exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}

// interruption calls what ended because of a signal by its name, wherever that was: while a model loads, say.
func interruption(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && !errors.Is(err, errInterrupted) && errors.Is(context.Cause(ctx), errInterrupted) {
		return errInterrupted
	}
	return err
}

// checked is a writer that remembers that it failed.
type checked struct {
	to     io.Writer
	failed error
}

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// draw shows a line on a terminal, in the place of the last one; nil where there is no terminal.
func (p *program) draw() func(line string) {
	if !p.terminal {
		return nil
	}
	return func(line string) { fmt.Fprintf(p.stderr, "\r%s\x1b[K", page.Visible(line)) }
}

// deliver writes a result to the file at path, as package output does, or to standard output where path is empty.
func (p *program) deliver(path string, result []byte) error {
	return p.deliverBy(path, func(w io.Writer) error {
		_, err := w.Write(result)
		return err
	})
}

// deliverBy is deliver for what is written piece by piece.
func (p *program) deliverBy(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(p.stdout)
	}
	if output.Replaces(path) {
		if run, err := journal.Open(path); err == nil {
			refused := fmt.Errorf("%s is the journal of a run, which nothing can make again: write to another file", path)
			return errors.Join(refused, run.Close())
		}
	}
	if err := output.Write(path, write); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// asItIs is where a prompt goes.
func (p *program) asItIs() io.Writer {
	if p.exact != nil {
		return p.exact
	}
	return p.stdout
}

// onScreen has results go to a terminal, which must not obey what a model or a data set's author wrote. It shows colours unless
// the environment says otherwise (no-color.org).
func (p *program) onScreen(terminal io.Writer, getenv func(string) string) {
	p.stdout = page.Screen(terminal)
	if getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		p.coloured = terminal
	}
}

// The exit codes of every command.
const (
	exitOK          = 0
	exitGate        = 1   // --fail-below's gate failed
	exitUsage       = 2   // usage or bad input: whatever is not one of the others
	exitIncomplete  = 3   // the run has items without a completion
	exitEngine      = 4   // the in-process engine gave up
	exitInterrupted = 130 // as shells report SIGINT
)

const exitCodes = "Exit codes: 0 ok, 1 a gate failed, 2 usage or bad input, 3 run incomplete (resume it),\n" +
	"4 the engine gave up on a model, 130 interrupted."

var (
	errGate        = errors.New("the gate failed")
	errIncomplete  = errors.New("the run is incomplete")
	errInterrupted = errors.New("interrupted")
)

// exitCode maps an error to the program's exit code.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errGate):
		return exitGate
	case registry.GaveUp(err):
		return exitEngine
	case errors.Is(err, errIncomplete):
		return exitIncomplete
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	default:
		return exitUsage
	}
}

// A result is written as --format or the name of -o's file says, to where -o says.
type result[T any] struct {
	formats page.Formats[T]
	format  string
	out     string
}

func (r *result[T]) flags(thing string, formats page.Formats[T]) []cli.Flag {
	r.formats = formats
	return []cli.Flag{flags.Named(&r.format, thing, formats), flags.Output(&r.out)}
}

func (r *result[T]) deliver(p *program, what T) error {
	format, err := r.formats.Of(r.format, r.out)
	if err != nil {
		return err
	}
	return p.deliverBy(r.out, func(w io.Writer) error { return format.Write(w, what) })
}
