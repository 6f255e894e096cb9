package llamacpp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/tune"
)

var _ backends.Engine = (*Model)(nil)

// CheckTest implements [backends.Engine].
func (m *Model) CheckTest(s backends.EngineSettings, t backends.EngineTest) error {
	switch {
	case m.closed:
		return backends.ErrClosed
	case t.Prompt < 0 || t.Generate < 0 || t.Prompt+t.Generate == 0 || t.Repetitions < 1:
		return errors.New("a test needs tokens, none of them below zero, and a repetition")
	}
	if err := m.memory.CheckPositions(t.Prompt + t.Generate); err != nil {
		return err
	}
	return m.checkRoom(testContext(s, t))
}

// testContext returns the settings of the context that a test makes for itself. What it leaves open is as llama-bench
// has it: layers with a sliding window keep only the tokens in it.
func testContext(s backends.EngineSettings, t backends.EngineTest) engine.Settings {
	return engine.Settings{
		EngineInfo: backends.EngineInfo{
			Context: engine.Cells(t.Prompt + t.Generate), Slots: 1, Batch: s.Batch, Microbatch: min(s.Microbatch, s.Batch), Threads: s.Threads,
			KVType: defaultKVType, FlashAttention: s.FlashAttention, KVWindowed: true,
		},
	}
}

// checkRoom refuses a context that does not fit into the memory.
func (m *Model) checkRoom(s engine.Settings) error {
	lacking, lacks := m.memory.Lacks(s)
	if !lacks {
		return nil
	}
	if fit := m.memory.Fitting(s); fit > 0 {
		return fmt.Errorf("%d tokens %s: %d tokens would fit", s.Context, lacking, fit)
	}
	return fmt.Errorf("the benchmark would %s: choose a smaller quantisation or fewer layers there", lacking)
}

// RunTest implements [backends.Engine].
func (m *Model) RunTest(
	ctx context.Context, s backends.EngineSettings, t backends.EngineTest, step func(warm bool),
) ([]time.Duration, error) {
	if err := m.CheckTest(s, t); err != nil {
		return nil, err
	}
	settings := testContext(s, t)
	settings.Watch = m.requested.Watch
	b, err := m.openBench(settings)
	if err != nil {
		return nil, err
	}
	defer b.engine.Close()
	defer b.engine.CancelWith(ctx)()
	if t.WarmUp {
		if err := b.run(ctx, b.pass(t.Prompt, min(t.Generate, 1))); err != nil {
			return nil, err
		}
		step(true)
	}
	samples := make([]time.Duration, t.Repetitions)
	for i := range samples {
		b.engine.Clear()
		batches := b.pass(t.Prompt, t.Generate)
		began := time.Now()
		if err := b.run(ctx, batches); err != nil {
			return nil, err
		}
		samples[i] = time.Since(began)
		step(false)
	}
	return samples, nil
}

// Summary implements [backends.Engine]. The size in its Type comes from the file's number of parameters: llama.cpp derives its own, such as
// 256M for SmolLM2-135M, from the layers.
func (m *Model) Summary() backends.Summary {
	architecture, rest, _ := strings.Cut(m.weights.Type(), " ")
	_, quantisation, _ := strings.Cut(rest, " ")
	described := []string{architecture, backends.SizeLabel(m.file.Parameters()), quantisation}
	return backends.Summary{Type: strings.Join(described, " "), SizeBytes: m.file.TensorBytes(), Parameters: m.file.Parameters()}
}

// bench is a context that random tokens are fed to.
type bench struct {
	*tune.Feed
	engine *llama.Engine
	room   int // tokens of one call
}

func (m *Model) openBench(s engine.Settings) (*bench, error) {
	m.digest.Close() // it would compute beside the benchmark
	m.release()
	e, err := m.weights.NewEngine(s)
	if err != nil {
		return nil, err
	}
	return &bench{Feed: tune.NewFeed(e, m.weights), engine: e, room: s.Batch}, nil
}

// pass returns the batches of a prompt and of tokens that follow one by one.
func (b *bench) pass(prompt, generate int) []engine.Batch {
	return append(b.Text(0, prompt, b.room), b.Text(prompt, generate, 1)...)
}

// run decodes the batches.
func (b *bench) run(ctx context.Context, batches []engine.Batch) error {
	if err := b.Run(ctx, batches); err != nil && ctx.Err() == nil {
		return err
	}
	return ctx.Err()
}
