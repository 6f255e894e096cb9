// Package console is shared by the commands: the program's outputs, notes and progress for people, delivery of results to files, and exit
// codes; the help texts (words/*.txt); and the flags that several commands have, with what they fill: the questions, their layout, the
// model, and the rule set that marks the answers. It knows no command.
package console

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/registry"
	"proctor/cmd/proctor/flags"
	"proctor/prompts"
	"proctor/prompts/task"
	"proctor/runner/mark/format"
	"proctor/runner/mark/grade"
	"proctor/runner/report/page"
)

// A Program is the commands' environment.
type Program struct {
	Stdout   io.Writer // results
	Coloured io.Writer // stdout as a terminal with colours; nil if it is none
	Stderr   io.Writer // diagnostics and progress
	Terminal bool      // stderr is a terminal
	Quiet    bool      // write only errors
	Columns  int       // width of the terminal at stdout; 0 if it is none
	Exact    io.Writer // for prompts, which other programs need byte for byte; nil if stdout is a terminal
	Now      func() time.Time
	Args     []string       // the command line, the program's name included
	Version  string         // of the program
	Exit     func(code int) // leaves at once
}

// Warn warns a person of something that may affect the result.
func (p *Program) Warn(text string) { p.Note("proctor: warning: " + text) }

// Note writes a line for a person, in the place of a progress line if there is one.
func (p *Program) Note(line string) {
	if p.Quiet {
		return
	}
	line = page.Visible(line)
	if p.Terminal {
		line = "\r" + strings.ReplaceAll(page.Wrapped(line, cmp.Or(p.Columns, page.FirstColumns)), "\n", "\x1b[K\n") + "\x1b[K"
	}
	fmt.Fprintln(p.Stderr, line)
}

// soonest is how long after the first interrupt another one is a second wish: `timeout` signals a program and its
// group, which are two signals at once.
const soonest = time.Second

// Interruptible returns a context that the first interrupt cancels; one that comes a second later exits at once.
func (p *Program) Interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		if _, ok := <-signals; !ok {
			return
		}
		fmt.Fprintln(p.Stderr, "\nproctor: stopping. Interrupt again to leave at once.")
		first := p.Now()
		cancel(ErrInterrupted)
		for range signals {
			if p.Now().Sub(first) >= soonest {
				p.Exit(ExitInterrupted)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}

// CheckStdout remembers the first failure of standard output, because the library ignores errors when it prints help.
func (p *Program) CheckStdout() (failed func() error) {
	out := &checked{to: p.Stdout, columns: p.Columns}
	p.Stdout = out
	return func() error { return out.failed }
}

// checked is a writer that remembers its failure.
type checked struct {
	to      io.Writer
	columns int
	failed  error
}

// Columns implements [page.Terminal] if standard output is one.
func (c *checked) Columns() int { return c.columns }

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// Draw redraws a line on a terminal; nil if there is no terminal.
func (p *Program) Draw() func(line string) {
	if !p.Terminal {
		return nil
	}
	return func(line string) { fmt.Fprintf(p.Stderr, "\r%s\x1b[K", page.Visible(line)) }
}

// Prompts is the writer for a prompt.
func (p *Program) Prompts() io.Writer {
	if p.Exact != nil {
		return p.Exact
	}
	return p.Stdout
}

// OnScreen sends results to a terminal, which must not obey texts by a model or a data set's author. It uses colours unless the environment
// forbids them (no-color.org).
func (p *Program) OnScreen(terminal io.Writer, getenv func(string) string) {
	p.Stdout = page.Screen(terminal)
	if getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		p.Coloured = terminal
	}
}

// widthOfText is the width of text that goes to no terminal, in columns.
const widthOfText = 100

// Width is the maximal width of a table for people, in columns.
func (p *Program) Width() int { return cmp.Or(p.Columns, widthOfText) }

//go:embed words/*.txt
var files embed.FS

// SharedWords are the texts of flags that several commands have.
var SharedWords = read("shared", nil)

// WordsOf are a command's texts. values are pairs of a name in braces, as in {fields}, and the text that replaces it.
func WordsOf(command string, values ...string) *flags.Words {
	return read(command, SharedWords, values...)
}

func read(name string, shared *flags.Words, values ...string) *flags.Words {
	text, err := files.ReadFile("words/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return flags.ParseWords(strings.NewReplacer(slices.Concat(common, values)...).Replace(string(text)), shared)
}

// common are the values for all texts.
var common = []string{
	"{tasks}", task.ShortNames(), "{models}", registry.Forms(),
	"{styles}", format.List(prompts.Styles, func(s prompts.Style) string { return s.Name }),
	"{sampling}", english.WordSeries(backends.SamplingNames(), "and"), "{typed}", format.Typed,
	"{itself}", task.Names(task.Itself), "{each option}", task.Names(task.EachOption), "{each order}",
	task.Names(task.EachOrder),
	"{rules}", grade.Names(grade.Sets()), "{rule file}", grade.RuleHelp,
}
