package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/ask"
	"proctor/runner/journal"
	"proctor/runner/mark/format"
	"proctor/runner/mark/stats"
)

func fsyncFlag(to *journal.Fsync) cli.Flag {
	*to = journal.FsyncBatch
	return &cli.StringFlag{
		Name: "fsync", Value: string(*to), Category: "RESULT",
		Usage: "sync answers to disk `WHEN`: always, batch (every second) or none",
		Action: func(_ *cli.Context, when string) error {
			*to = journal.Fsync(when)
			known := func(string) bool { return slices.Contains(journal.Fsyncs, *to) }
			return flags.Valid("fsync", known, "give always, batch or none")(nil, when)
		},
	}
}

// kept says of a run whose journal or reports are not where they should be how it goes on.
func (p *program) kept(session *ask.Session, err error) error {
	var lost *journal.LostError
	var unsaved *ask.UnsavedError
	command := func(args ...string) string { return shellescape.QuoteCommand(args) }
	switch {
	case errors.As(err, &lost) && lost.Err == nil:
		folder, file := filepath.Dir(lost.Path), filepath.Base(lost.Path)
		goOn := p.goOnWith(session)
		if lost.Replaced {
			folder, file = strings.TrimSuffix(lost.Saved, filepath.Ext(lost.Saved)), journal.FileName
			goOn = p.goOn("run", folder, session.Flags)
		}
		return fmt.Errorf("%w: %w; to go on: %s && %s && %s", errIncomplete, err, command("mkdir", "-p", folder),
			command("mv", lost.Saved, filepath.Join(folder, file)), goOn)
	case errors.As(err, &lost):
		return fmt.Errorf("%w: %w", errIncomplete, err)
	case errors.As(err, &unsaved):
		return fmt.Errorf("%w: the answers are kept, but not the reports: %w; to write them once the cause is mended: %s", errIncomplete,
			err, p.goOnWith(session))
	}
	return err
}

// verdict is what the exit code is made of.
func (o runOptions) verdict(ctx context.Context, outcome ask.Outcome, goOn string) error {
	asked, score := outcome.Report.Completeness, outcome.Report.Headline
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted):
		return fmt.Errorf("%w; to go on: %s", errInterrupted, goOn)
	case outcome.Err != nil:
		return fmt.Errorf("%w: %w; what was answered is kept; to go on: %s", errIncomplete, outcome.Err, goOn)
	case !asked.Complete:
		return fmt.Errorf("%w: %d items have no completion; to ask them again: %s", errIncomplete, asked.Lacks(), goOn)
	case o.failBelow != nil && score.CI.IsZero():
		return fmt.Errorf("%w: %s has no lower bound to hold against --fail-below %s: %s questions; give a higher --limit", errGate,
			score.Name, format.TypedShare(*o.failBelow), format.TooFew)
	case o.failBelow != nil && score.CI.Low < *o.failBelow:
		return fmt.Errorf("%w: the lower bound of %s, %s, is below --fail-below %s", errGate, score.Name,
			format.Percent(stats.Of(score.CI.Low)), format.TypedShare(*o.failBelow))
	}
	return nil
}

// abandonRun ends the program where the engine gave up on the way, with what was answered on the disk.
func (p *program) abandonRun(err error, session *ask.Session) {
	todo := ""
	switch begun, lost := session.Abandon(); {
	case lost != nil:
		todo = fmt.Sprintf("; what was answered in the last second may be lost: %v", lost)
	case begun:
		todo = "; what was answered is kept; to go on: " + p.goOnWith(session)
	}
	p.abandon(err, todo)
}

// saved says where a run's answers are kept, and what to do with them; reported is how many of its tasks have a report.
func (p *program) saved(session *ask.Session, reported int) {
	run := session.Folders()[0]
	command := func(args ...string) string { return shellescape.QuoteCommand(append([]string{p.args[0]}, args...)) }
	p.note("saved in " + session.Out)
	for _, folder := range session.Folders()[:reported] {
		p.note("      " + ask.ReportPath(folder, ".html") + "   for a browser, with every item")
	}
	p.note("next: " + command("report", run, "--items", "--where", "right=no") + "   lists what went wrong")
	p.note("      " + command("report", run, "--full") + "   says everything about it")
	p.note("      " + command("show", run) + " ID   shows one item")
	p.note("      " + command("compare", run) + " OTHER   sets another run beside it")
}
