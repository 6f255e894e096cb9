// Package console is what commands share: of the program its outputs, notes and progress for people, results delivered to files and exit
// codes; the words of help (words/*.txt); and the flags that several take, with what they fill: which questions are asked, how they are
// laid out, of which model, and by which rules answers are marked. It knows no command.
package console

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"proctor/runner/ask/progress"
	"proctor/runner/report/page"
)

// A Program is the world that the commands see.
type Program struct {
	Stdout   io.Writer // results
	Coloured io.Writer // the same as a terminal that shows colours, for what is fit for one; nil where it is none
	Stderr   io.Writer // diagnostics and progress
	Screen   *Screen   // the same as a terminal that lines can be drawn over on; nil where it is none
	Terminal bool      // stderr is a terminal
	Quiet    bool      // say nothing but errors
	Objects  bool      // say it in JSON
	Columns  int       // of the terminal that results go to; 0 where they go to none
	Exact    io.Writer // for prompts, which other programs need byte for byte; nil where stdout is a terminal
	Now      func() time.Time
	Args     []string       // the command line, the program's name included
	Version  string         // of the program
	Exit     func(code int) // leaves at once
}

// Speak takes what --quiet and --progress say of notes: whether there are any, and whether they are JSON.
func (p *Program) Speak(quiet bool, progress string) { p.Quiet, p.Objects = quiet, progress == byJSON }

// Warn tells a person what may matter for the result.
func (p *Program) Warn(text string) { p.Note("proctor: warning: " + text) }

// Note writes a line for a person, in the place of a line of progress that may be there.
func (p *Program) Note(line string) {
	if p.Quiet {
		return
	}
	line = page.Visible(line)
	if p.Terminal && !p.Objects {
		line = "\r" + strings.ReplaceAll(page.Wrapped(line, cmp.Or(p.Columns, page.FirstColumns)), "\n", "\x1b[K\n") + "\x1b[K"
	}
	p.Notify(line)
}

// Notify writes a line for a person whether the program is quiet or not.
func (p *Program) Notify(line string) {
	if p.Objects {
		p.object(progress.Note{Kind: "note", Text: strings.TrimSpace(line)})
		return
	}
	fmt.Fprintln(p.Stderr, line)
}

// Interruptible returns a context that the first interrupt ends; the second one leaves the program at once.
func (p *Program) Interruptible() (context.Context, context.CancelFunc) {
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
		p.Notify("\nproctor: stopping. Interrupt again to leave at once.")
		cancel(ErrInterrupted)
		if _, ok := <-signals; ok {
			if p.Screen != nil {
				p.Screen.Stop()
			}
			p.Exit(ExitInterrupted)
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

// checked is a writer that remembers that it failed.
type checked struct {
	to      io.Writer
	columns int
	failed  error
}

// Columns makes it a [page.Terminal] where standard output is one.
func (c *checked) Columns() int { return c.columns }

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	if err != nil && c.failed == nil {
		c.failed = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// Draw shows a line on a terminal, in the place of the last one; nil where there is no terminal.
func (p *Program) Draw() func(line string) {
	if !p.Terminal {
		return nil
	}
	return func(line string) { fmt.Fprintf(p.Stderr, "\r%s\x1b[K", page.Visible(line)) }
}

// Prompts is where a prompt goes.
func (p *Program) Prompts() io.Writer {
	if p.Exact != nil {
		return p.Exact
	}
	return p.Stdout
}

// OnScreen has results go to a terminal, which must not obey what a model or a data set's author wrote. It shows colours unless
// the environment says otherwise (no-color.org).
func (p *Program) OnScreen(terminal io.Writer, getenv func(string) string) {
	p.Stdout = page.Screen(terminal)
	if getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" {
		p.Coloured = terminal
	}
}

// widthOfText is that of what is not written to a terminal, in columns.
const widthOfText = 100

// Width is how many columns a table for people may have.
func (p *Program) Width() int { return cmp.Or(p.Columns, widthOfText) }
