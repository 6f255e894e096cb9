package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"proctor/backends/llamacpp"
	"proctor/backends/open"
	"proctor/runner/bench"
)

// examKind sits exams with few-shot prompts. Each set of options is an opening of its own, so that the engine settles
// itself as it does for a run.
type examKind struct{ program }

func (p program) benchExam(c *cli.Context, g grid, build bench.Build) error {
	load := llamacpp.ExamLoad{
		Questions: c.Int("questions"), Shared: c.Int("shared"), Own: c.Int("own"), Generate: c.Int("max-tokens"),
		Repetitions: repetitions(c, 3), WarmUp: !c.Bool("no-warmup"),
	}
	for _, name := range []string{"questions", "shared", "own", "max-tokens"} {
		if c.Int(name) < 1 {
			return fmt.Errorf("--%s %d: it must be at least 1", name, c.Int(name))
		}
	}
	openings, err := examOpenings(c, g)
	if err != nil {
		return err
	}
	printer, err := bench.NewPrinter(c.String("output"), p.stdout, bench.ExamColumns(build, g.show...), build)
	if err != nil {
		return err
	}
	b := &benchmark[llamacpp.ExamLoad, bench.Exam]{program: p, kind: examKind{p}, flags: c, build: build, openings: openings, cases: []llamacpp.ExamLoad{load}, printer: printer}
	return b.run(c.Context)
}

// examOpenings are the models in each of the settings that a run has too. Where slots are given, nothing else is tuned, so
// that rows with other slots differ in them alone.
func examOpenings(c *cli.Context, g grid) ([]open.Options, error) {
	if c.IsSet("flash-attn") || c.IsSet("cache-type-v") {
		return nil, errors.New("--flash-attn and --cache-type-v do not go with --exam: keys and values are of one type there, and the engine decides about flash attention")
	}
	l := lists{flags: c}
	slots := l.numbers("slots", "slots", 0)
	if l.err != nil {
		return nil, l.err
	}
	if c.IsSet("slots") && slices.Contains(slots, 0) {
		return nil, errors.New("--slots 0: give numbers from 1, or leave the flag out")
	}
	var all []open.Options
	for _, opening := range g.openings() {
		for _, s := range g.settings {
			if c.IsSet("batch-size") {
				opening.Batch = s.Batch
			}
			if c.IsSet("ubatch-size") {
				opening.Microbatch = s.Microbatch
			}
			if c.IsSet("threads") {
				opening.Threads = s.Threads
			}
			opening.KVType = s.KeyType
			for _, n := range slots {
				opening.Slots = n
				opening.Tune = n == 0
				all = append(all, opening)
			}
		}
	}
	return all, nil
}

// examSlots is how many questions share a step, as far as the ETA of the first row is concerned.
const examSlots = 8

func (examKind) work(load llamacpp.ExamLoad) work {
	return work{
		name: fmt.Sprintf("%d questions", load.Questions), repeats: load.Repetitions,
		prompt: float64(load.Shared + load.Questions*load.Own), steps: float64(load.Questions*load.Generate) / examSlots,
	}
}

func (examKind) check(_ *llamacpp.Model, load llamacpp.ExamLoad) error { return load.Check() }

func (k examKind) measure(ctx context.Context, m *llamacpp.Model, load llamacpp.ExamLoad, head bench.Head, step func(warm bool)) (bench.Exam, error) {
	row := bench.Exam{Head: head, Questions: load.Questions, Shared: load.Shared, Own: load.Own, Generate: load.Generate}
	began := k.now()
	engine, passes, err := m.BenchExam(ctx, load, step)
	if err != nil {
		return row, err
	}
	row.Head = withSettings(head, llamacpp.BenchSettings{
		Threads: engine.Threads, Batch: engine.Batch, Microbatch: engine.Microbatch, KeyType: engine.KVType, ValueType: engine.KVType, FlashAttention: engine.FlashAttention,
	})
	row.Kernels = engine.Kernels
	row.Slots, row.Unified, row.Context = engine.Slots, engine.KVUnified, engine.Context
	measured := make([]bench.Pass, len(passes))
	for i, pass := range passes {
		measured[i] = bench.Pass(pass)
	}
	return row.Measured(began, measured), nil
}
