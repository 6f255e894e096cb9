package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
)

// A Bench measures models.
type Bench struct {
	Build    Build
	Now      func() time.Time
	Progress func(line string) // shows the progress, replacing the line before; may be nil
}

// An Opening is a way to load a model.
type Opening struct {
	Ref  string // of the model, as the user named it
	Open func(context.Context) (backends.Model, error)
}

// Tests runs the tests on every model with the same settings, and prints each row as soon as it is measured. After a failure the rows
// printed so far stay, as a complete document.
func (b *Bench) Tests(ctx context.Context, models []Opening, s backends.EngineSettings, tests []backends.EngineTest, to *Printer) error {
	rows := rows{to, b.pace(len(models) * len(tests))}
	for _, opening := range models {
		if err := b.tests(ctx, opening, s, tests, rows); err != nil {
			return rows.end(cmp.Or(context.Cause(ctx), err))
		}
	}
	return rows.end(nil)
}

func (b *Bench) tests(ctx context.Context, opening Opening, s backends.EngineSettings, tests []backends.EngineTest, rows rows) error {
	model, err := opening.Open(ctx)
	if err != nil {
		return err
	}
	defer model.Close()
	engine, ok := model.(backends.Engine)
	if !ok {
		return fmt.Errorf("%s is not run in-process: only %s measures what a server runs", opening.Ref, setting.Exam)
	}
	for _, t := range tests {
		if err := engine.CheckTest(s, t); err != nil {
			return fmt.Errorf("%s: %w", opening.Ref, err)
		}
	}
	for _, t := range tests {
		rows.pace.begin(opening.Ref, nameOf(t.Prompt, t.Generate), t.Repetitions)
		backends.LoadOf(model)
		began := b.Now()
		samples, err := engine.RunTest(ctx, s, t, rows.pace.step)
		if err != nil {
			return err
		}
		if err := rows.print(newTest(Head{b.Build, opening.Ref, engine.Summary(), s, "", backends.LoadOf(model)}, t, began, samples)); err != nil {
			return err
		}
	}
	return nil
}

// rows are printed in place of the progress line.
type rows struct {
	*Printer
	pace *pace
}

func (r rows) print(row Row) error {
	r.pace.clear()
	return r.Print(row)
}

// end completes the printed document. Without a row, nothing is printed.
func (r rows) end(err error) error {
	r.pace.clear()
	if r.printed == 0 {
		return err
	}
	return cmp.Or(err, r.Close())
}

// pace shows a benchmark's progress at a terminal.
type pace struct {
	draw func(line string)
	rows int

	row, repeat, repeats int
	model, name          string // being measured
}

func (b *Bench) pace(rows int) *pace { return &pace{draw: b.Progress, rows: rows} }

// begin shows that a row is being measured.
func (p *pace) begin(model, name string, repeats int) {
	p.model, p.name, p.repeats, p.repeat = model, name, repeats, 0
	p.row++
	p.show()
}

// step counts a repetition; the warm-up is none.
func (p *pace) step(warm bool) {
	if !warm {
		p.repeat++
		p.show()
	}
}

func (p *pace) show() {
	if p.draw != nil {
		p.draw(fmt.Sprintf("%d/%d  %s  %s  %d/%d", p.row, p.rows, p.model, p.name, min(p.repeat+1, p.repeats), p.repeats))
	}
}

// clear removes the progress line before a row is printed.
func (p *pace) clear() {
	if p.draw != nil {
		p.draw("")
	}
}
