package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/urfave/cli/v2"

	"proctor/runner/ask"
	"proctor/runner/journal"
)

func fsyncFlag(to *journal.Fsync) cli.Flag {
	*to = journal.FsyncBatch
	return &cli.StringFlag{
		Name: "fsync", Value: string(*to), Category: "RESULT",
		Usage: "`WHEN` answers are on the disk, should the machine itself go down: always (each before the next), batch (within a " +
			"second), none (when the system likes); a program that is killed loses none",
		Action: func(_ *cli.Context, when string) error {
			*to = journal.Fsync(when)
			known := func(string) bool { return slices.Contains(journal.Fsyncs, *to) }
			return valid("fsync", known, "give always, batch or none")(nil, when)
		},
	}
}

// kept says of a run whose journal or reports are not where they should be how it goes on.
func (p program) kept(session *ask.Session, err error) error {
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
