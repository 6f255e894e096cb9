package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
)

// A Bench is where models are measured.
type Bench struct {
	Build    Build
	Now      func() time.Time
	Progress func(line string) // shows how far it is, in the place of the line before; nil where nobody looks
}

// An Opening is a way to load a model.
type Opening struct {
	Ref     string // of the model, as the user named it
	Release string // of the llama.cpp that computes; "": that of [Bench.Build]
	Open    func(context.Context) (backends.Model, error)
	Cases   []Case // to run on it; an eval has none
}

// A Case is a test, and what it is run with, what was chosen by loading the model included.
type Case struct {
	Settings  backends.EngineSettings
	AutoFlash bool // Settings.FlashAttention is to be what the engine takes by itself
	Test      backends.EngineTest
}

// Tests runs the cases of every model, and prints each row once it is there: a [Test], or a [Batched]. Rows that are
// printed stay, and are made whole, whatever comes after them.
func (b *Bench) Tests(ctx context.Context, openings []Opening, to *Printer) error {
	rows := rows{to, b.pace(0)}
	for _, opening := range openings {
		for _, c := range opening.Cases {
			rows.pace.rows++
			rows.pace.plan(workOf(c.Test))
		}
	}
	for _, opening := range openings {
		if err := b.tests(ctx, opening, rows); err != nil {
			return rows.end(cmp.Or(context.Cause(ctx), err))
		}
	}
	return rows.end(nil)
}

func (b *Bench) tests(ctx context.Context, opening Opening, rows rows) error {
	model, err := opening.Open(ctx)
	if err != nil {
		return err
	}
	defer model.Close()
	engine, ok := model.(backends.Engine)
	if !ok {
		return fmt.Errorf("%s is not run in-process: only %s measures what a server runs", opening.Ref, setting.Exam)
	}
	rooms, cases := make([]int, len(opening.Cases)), slices.Clone(opening.Cases)
	for i := range cases {
		c := &cases[i]
		if c.AutoFlash {
			if c.Settings.FlashAttention, err = engine.AutoFlash(c.Settings); err != nil {
				return fmt.Errorf("%s: %w", opening.Ref, err)
			}
		}
		if rooms[i], err = engine.CheckTest(c.Settings, c.Test); err != nil {
			return fmt.Errorf("%s: %w", opening.Ref, err)
		}
	}
	for i, c := range cases {
		head := Head{b.Build.of(opening), opening.Ref, engine.Summary(), c.Settings}
		rows.pace.begin(opening.Ref, workOf(c.Test))
		began := b.Now()
		samples, err := engine.RunTest(ctx, c.Settings, c.Test, rows.pace.step)
		if err != nil {
			return err
		}
		var row Row = newTest(head, c.Test, began, samples)
		if c.Test.Batched {
			row = newBatched(head, c.Test, rooms[i], began, samples)
		}
		if err := rows.print(row); err != nil {
			return err
		}
	}
	return nil
}

// rows are printed in the place of the line that tells how far it is.
type rows struct {
	*Printer
	pace *pace
}

func (r rows) print(row Row) error {
	r.pace.clear()
	return r.Print(row)
}

// end makes what is printed whole. Without a row, nothing is printed.
func (r rows) end(err error) error {
	r.pace.clear()
	if r.printed == 0 {
		return err
	}
	return cmp.Or(err, r.Close())
}
