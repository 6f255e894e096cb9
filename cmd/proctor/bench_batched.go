package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/backends/llamacpp"
	"proctor/runner/bench"
)

// batchedKind measures llama-batched-bench's rows.
type batchedKind struct{ program }

// batchedCase is one of them, with the settings it is run with.
type batchedCase struct {
	settings    llamacpp.BenchSettings
	test        llamacpp.BatchedTest
	repetitions int
}

func (p program) benchBatched(c *cli.Context, g grid, build bench.Build) error {
	l := lists{flags: c}
	prompts := l.numbers("npp", "pp", 512)
	generated := l.numbers("ntg", "tg", 128)
	parallel := l.numbers("npl", "pl", 1, 2, 4, 8)
	if l.err != nil {
		return l.err
	}
	printer, err := bench.NewPrinter(c.String("output"), p.stdout, bench.BatchedColumns(len(g.models), g.show...), build)
	if err != nil {
		return err
	}
	b := &benchmark[batchedCase, bench.Batched]{program: p, kind: batchedKind{p}, flags: c, build: build, openings: g.openings(), printer: printer}
	first := batchedCase{test: llamacpp.BatchedTest{Shared: c.Bool("pps"), WarmUp: !c.Bool("no-warmup")}, repetitions: repetitions(c, 1)}
	b.cases = each([]batchedCase{first}, g.settings, func(one *batchedCase, s llamacpp.BenchSettings) { one.settings = s })
	b.cases = each(b.cases, prompts, func(one *batchedCase, n int) { one.test.Prompt = n })
	b.cases = each(b.cases, generated, func(one *batchedCase, n int) { one.test.Generate = n })
	b.cases = each(b.cases, parallel, func(one *batchedCase, n int) { one.test.Parallel = n })
	return b.run(c.Context)
}

func (batchedKind) work(c batchedCase) work {
	prompts := c.test.Parallel
	if c.test.Shared {
		prompts = 1
	}
	return work{
		name: fmt.Sprintf("pp%d+tg%d in %d", c.test.Prompt, c.test.Generate, c.test.Parallel), repeats: c.repetitions,
		prompt: float64(prompts * c.test.Prompt), steps: float64(c.test.Generate),
	}
}

func (batchedKind) check(m *llamacpp.Model, c batchedCase) error {
	return m.CheckBatched(c.settings, c.test)
}

func (k batchedKind) measure(ctx context.Context, m *llamacpp.Model, c batchedCase, head bench.Head, step func(warm bool)) (bench.Batched, error) {
	row := bench.Batched{
		Head: withSettings(head, c.settings), Room: c.test.Room(), Prompt: c.test.Prompt, Generate: c.test.Generate, Parallel: c.test.Parallel,
	}
	if c.test.Shared {
		row.Shared = 1
	}
	began := k.now()
	var prefill, decode []time.Duration
	for range c.repetitions {
		p, d, err := m.BenchBatched(ctx, c.settings, c.test, step)
		if err != nil {
			return row, err
		}
		prefill, decode = append(prefill, p), append(decode, d)
	}
	return row.Measured(began, prefill, decode), nil
}
