package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/backends/llamacpp"
	"proctor/backends/open"
	"proctor/runner/bench"
)

// kind is a kind of benchmark, whose cases C become rows R.
type kind[C, R any] interface {
	work(C) work
	// check refuses what the model cannot do.
	check(*llamacpp.Model, C) error
	// measure calls step after each repetition and after the warm-up. head tells of the settings only how the model was
	// loaded.
	measure(ctx context.Context, m *llamacpp.Model, c C, head bench.Head, step func(warm bool)) (R, error)
}

// benchmark is what a kind of benchmark goes through.
type benchmark[C, R any] struct {
	program
	kind[C, R]
	flags    *cli.Context
	build    bench.Build
	openings []open.Options
	cases    []C
	printer  bench.Printer[R]
	rows     int // printed
}

// run measures every case of every model, and prints each row once it is there. Rows that are printed stay, and are made
// whole, whatever comes after them.
func (b *benchmark[C, R]) run(ctx context.Context) error {
	pace := b.pace(len(b.openings) * len(b.cases))
	for range b.openings {
		for _, c := range b.cases {
			pace.left = pace.left.plus(b.work(c))
		}
	}
	err := b.models(ctx, pace)
	pace.clear()
	if b.rows == 0 {
		return err
	}
	return cmp.Or(err, b.printer.Close())
}

func (b *benchmark[C, R]) models(ctx context.Context, pace *pace) error {
	for _, options := range b.openings {
		if err := b.model(ctx, options, pace); err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
	}
	return nil
}

// model measures every case of one model.
func (b *benchmark[C, R]) model(ctx context.Context, options open.Options, pace *pace) error {
	options.Verbose, options.Warn, options.Draw = b.flags.Bool("verbose"), b.warn, b.draw()
	model, err := openEngine(ctx, options)
	if err != nil {
		return err
	}
	defer model.Close()
	for _, c := range b.cases {
		if err := b.check(model, c); err != nil {
			return fmt.Errorf("%s: %w", options.Ref, err)
		}
	}
	summary := model.Summary()
	head := bench.Head{Build: b.build, Model: bench.Model{
		File: options.Ref, Type: summary.Type, SizeBytes: summary.SizeBytes, Parameters: summary.Parameters,
	}, Settings: bench.Settings{GPULayers: *options.GPULayers, Mapped: true, Kernels: options.Kernels}}
	for _, c := range b.cases {
		pace.begin(options.Ref, b.work(c))
		row, err := b.measure(ctx, model, c, head, pace.step)
		if err != nil {
			return err
		}
		pace.clear()
		if err := b.printer.Print(row); err != nil {
			return err
		}
		b.rows++
	}
	return nil
}

// openEngine opens a model that the in-process engine runs.
func openEngine(ctx context.Context, options open.Options) (*llamacpp.Model, error) {
	model, err := open.Model(ctx, options)
	if err != nil {
		return nil, err
	}
	engine, ok := model.(*llamacpp.Model)
	if !ok {
		model.Close()
		return nil, fmt.Errorf("%s is not run in-process: bench measures this program's own engine", options.Ref)
	}
	return engine, nil
}

// repetitions reads how often to measure.
func repetitions(c *cli.Context, otherwise int) int {
	if c.IsSet("repetitions") {
		return c.Int("repetitions")
	}
	return otherwise
}

// withSettings completes the head of a row with the settings of a context.
func withSettings(head bench.Head, s llamacpp.BenchSettings) bench.Head {
	head.Batch, head.Microbatch, head.Threads = s.Batch, s.Microbatch, s.Threads
	head.KeyType, head.ValueType, head.FlashAttention = s.KeyType, s.ValueType, s.FlashAttention
	return head
}
