package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"proctor/backends/llamacpp"
	"proctor/runner/bench"
)

// testKind runs llama-bench's tests.
type testKind struct{ program }

// benchTest is one of them, with the settings it is run with.
type benchTest struct {
	settings llamacpp.BenchSettings
	test     llamacpp.BenchTest
}

func (p program) benchTests(c *cli.Context, g grid, build bench.Build) error {
	tests, err := testsOf(c)
	if err != nil {
		return err
	}
	printer, err := bench.NewPrinter(c.String("output"), p.stdout, bench.TestColumns(build, g.show...), build)
	if err != nil {
		return err
	}
	b := &benchmark[benchTest, bench.Test]{program: p, kind: testKind{p}, flags: c, build: build, openings: g.openings(), printer: printer}
	b.cases = each([]benchTest{{}}, g.settings, func(one *benchTest, s llamacpp.BenchSettings) { one.settings = s })
	b.cases = each(b.cases, tests, func(one *benchTest, t llamacpp.BenchTest) { one.test = t })
	return b.run(c.Context)
}

// testsOf reads the tests, in llama-bench's order.
func testsOf(c *cli.Context) ([]llamacpp.BenchTest, error) {
	l := lists{flags: c}
	depths := l.numbers("n-depth", "n_depth", 0)
	prompts := l.numbers("n-prompt", "n_prompt", 512)
	generated := l.numbers("n-gen", "n_gen", 128)
	pairs := l.numbers("pg", "pg")
	if l.err != nil {
		return nil, l.err
	}
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("--pg %v: give pairs of prompt and generated tokens, as in 512,128", c.StringSlice("pg"))
	}
	var all []llamacpp.BenchTest
	add := func(prompt, generate, depth int) {
		if prompt+generate > 0 {
			all = append(all, llamacpp.BenchTest{
				Prompt: prompt, Generate: generate, Depth: depth, Repetitions: repetitions(c, 5), WarmUp: !c.Bool("no-warmup"),
			})
		}
	}
	for _, depth := range depths {
		for _, n := range prompts {
			add(n, 0, depth)
		}
		for _, n := range generated {
			add(0, n, depth)
		}
		for i := 0; i < len(pairs); i += 2 {
			add(pairs[i], pairs[i+1], depth)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("-p 0 -n 0 leaves nothing to measure: give -p, -n or -pg some tokens")
	}
	return all, nil
}

func (testKind) row(c benchTest, head bench.Head) bench.Test {
	return bench.Test{Head: withSettings(head, c.settings), Prompt: c.test.Prompt, Generate: c.test.Generate, Depth: c.test.Depth}
}

func (k testKind) work(c benchTest) work {
	return work{
		name: k.row(c, bench.Head{}).Name(), repeats: c.test.Repetitions,
		prompt: float64(c.test.Depth + c.test.Prompt), steps: float64(c.test.Generate),
	}
}

func (testKind) check(m *llamacpp.Model, c benchTest) error {
	return m.CheckBench(c.settings, c.test)
}

func (k testKind) measure(ctx context.Context, m *llamacpp.Model, c benchTest, head bench.Head, step func(warm bool)) (bench.Test, error) {
	began := k.now()
	samples, err := m.Bench(ctx, c.settings, c.test, step)
	if err != nil {
		return bench.Test{}, err
	}
	return k.row(c, head).Measured(began, samples), nil
}
