package console

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"proctor/cmd/proctor/flags"
	"proctor/runner/journal"
	"proctor/runner/journal/output"
	"proctor/runner/report/page"
)

// A Buffer holds a result until all of it is made. It has the columns of the terminal that the result goes to.
type Buffer struct {
	bytes.Buffer
	columns int
}

// Columns makes it a [page.Terminal]; 0 for a result that goes to a file.
func (b *Buffer) Columns() int { return b.columns }

// Buffer returns one for a result that [Program.Deliver] writes to path.
func (p *Program) Buffer(path string) *Buffer {
	if path != "" {
		return &Buffer{}
	}
	return &Buffer{columns: p.Columns}
}

// Deliver writes a result to the file at path, as package output does, or to standard output if path is empty.
func (p *Program) Deliver(path string, result []byte) error {
	return p.DeliverBy(path, func(w io.Writer) error {
		_, err := w.Write(result)
		return err
	})
}

// DeliverBy is [Program.Deliver] for output that is written piece by piece.
func (p *Program) DeliverBy(path string, write func(io.Writer) error) error {
	if path == "" {
		return write(p.Stdout)
	}
	err := noJournal(path)
	if err == nil {
		err = output.Write(path, write)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// noJournal refuses to overwrite a journal.
func noJournal(path string) error {
	if !output.Replaces(path) {
		return nil
	}
	run, err := journal.Open(path)
	if err != nil {
		return nil
	}
	return errors.Join(errors.New("it is the journal of a run, which nothing can make again: write to another file"), run.Close())
}

// ToFile refuses a flag's file that can't be written, before hours are spent on its content.
func ToFile(flag, path string) error {
	if err := cmp.Or(output.Creatable(path), noJournal(path)); err != nil {
		return fmt.Errorf("%s %s: %w", flags.Dashed(flag), path, err)
	}
	return nil
}

// A Result is output in the format of --format or of the extension of -o's file, to that file or to standard output.
type Result[T any] struct {
	formats, full page.Formats[T] // full for commands with --full
	format        string
	out           string
	everything    bool
}

// Write writes a result in a format, as [Program.DeliverBy] does.
func Write[T any](p *Program, path string, format page.Format[T], what T) error {
	return p.DeliverBy(path, func(w io.Writer) error { return format.Write(w, what) })
}

// Flags choose the format and the file of a command's result.
func (r *Result[T]) Flags(w *flags.Words, formats page.Formats[T]) []cli.Flag {
	r.formats = formats
	return []cli.Flag{flags.Named(w, &r.format, formats), w.Text("o", &r.out, ToFile)}
}

// FlagsWithFull are the flags of a result that is short without --full.
func (r *Result[T]) FlagsWithFull(w *flags.Words, short, full page.Formats[T]) []cli.Flag {
	r.full = full
	return append(r.Flags(w, short), w.Switch("full", &r.everything))
}

// Check refuses an unknown format.
func (r *Result[T]) Check() error {
	_, err := r.chosen()
	return err
}

func (r *Result[T]) chosen() (page.Format[T], error) {
	return page.Chosen(r.formats, r.full, r.format, r.out, r.everything)
}

// Deliver writes the result.
func (r *Result[T]) Deliver(p *Program, what T) error {
	format, err := r.chosen()
	if err != nil {
		return err
	}
	return Write(p, r.out, format, what)
}
