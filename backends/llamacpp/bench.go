package llamacpp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

var _ backends.Engine = (*Model)(nil)

// warmUpTokens is what llama-batched-bench decodes before it measures.
const warmUpTokens = 16

// CheckTest implements [backends.Engine].
func (m *Model) CheckTest(s backends.EngineSettings, t backends.EngineTest) (room int, err error) {
	switch {
	case m.closed:
		return 0, backends.ErrClosed
	case t.Batched && (t.Prompt < 1 || t.Parallel < 1):
		return 0, fmt.Errorf("%d sequences with a prompt of %d tokens are nothing to measure: each must be at least 1",
			t.Parallel, t.Prompt)
	case t.Parallel > engine.MaxSequences:
		return 0, fmt.Errorf("%d sequences: llama.cpp has at most %d", t.Parallel, engine.MaxSequences)
	case t.Prompt < 0 || t.Generate < 0 || t.Depth < 0 || t.Prompt+t.Generate == 0 || t.Repetitions < 1:
		return 0, errors.New("a test needs tokens, none of them below zero, and a repetition")
	}
	if err := checkSettings(s); err != nil {
		return 0, err
	}
	c := testContext(s, t)
	return c.Context * c.Slots, m.checkRoom(c)
}

// checkSettings refuses settings that the engine cannot have.
func checkSettings(s backends.EngineSettings) error {
	if s.Threads < 1 || s.Batch < 1 || s.Microbatch < 1 {
		return fmt.Errorf("%d threads, a batch of %d and a microbatch of %d: each must be at least 1",
			s.Threads, s.Batch, s.Microbatch)
	}
	for _, kind := range []string{s.KeyType, s.ValueType} {
		if err := checkKVType(cmp.Or(kind, defaultKVType)); err != nil {
			return err
		}
	}
	if needsFlash(s.ValueType) && !s.FlashAttention {
		return fmt.Errorf("a cache with values of type %s needs flash attention", s.ValueType)
	}
	return nil
}

// testContext returns the settings of the context that a test makes for itself. What it leaves open is as llama-bench
// has it: a cache for each sequence, layers with a sliding window keep only the tokens in it.
func testContext(s backends.EngineSettings, t backends.EngineTest) engine.Settings {
	tokens, sequences := t.Depth+t.Prompt+t.Generate, 1
	if t.Batched {
		tokens, sequences = max(tokens, warmUpTokens), t.Parallel
	}
	return engine.Settings{
		EngineInfo: backends.EngineInfo{
			Context: engine.Cells(tokens), Slots: sequences, Batch: s.Batch, Microbatch: min(s.Microbatch, s.Batch), Threads: s.Threads,
			KVType: s.KeyType, FlashAttention: s.FlashAttention, KVWindowed: true,
		},
		ValueType: s.ValueType,
	}
}

// AutoFlash implements [backends.Engine].
func (m *Model) AutoFlash(s backends.EngineSettings) (bool, error) {
	if m.closed {
		return false, backends.ErrClosed
	}
	s.FlashAttention = true // which no cache's type forbids
	if err := checkSettings(s); err != nil {
		return false, err
	}
	c := testContext(s, backends.EngineTest{Prompt: 1})
	if err := m.checkRoom(c); err != nil {
		return false, err
	}
	return m.weights.AutoFlash(c)
}

// checkRoom refuses a context that does not fit into the memory.
func (m *Model) checkRoom(s engine.Settings) error {
	lacking, lacks := m.memory.Lacks(s)
	if !lacks {
		return nil
	}
	if fit := m.memory.Fitting(s); fit > 0 {
		return fmt.Errorf("%d tokens in each of %d sequences %s: %d tokens would fit", s.Context, s.Slots, lacking, fit)
	}
	return fmt.Errorf("the benchmark would %s: choose a smaller quantisation, fewer sequences or fewer layers there", lacking)
}

// RunTest implements [backends.Engine].
func (m *Model) RunTest(
	ctx context.Context, s backends.EngineSettings, t backends.EngineTest, step func(warm bool),
) ([]backends.Sample, error) {
	if _, err := m.CheckTest(s, t); err != nil {
		return nil, err
	}
	b, err := m.openBench(testContext(s, t))
	if err != nil {
		return nil, err
	}
	defer b.engine.Close()
	defer b.engine.CancelWith(ctx)()
	if t.WarmUp {
		few := b.pass(0, t.Prompt, min(t.Generate, 1))
		if t.Batched {
			few = b.Text(0, warmUpTokens, b.room)
		}
		if err := b.run(ctx, few); err != nil {
			return nil, err
		}
		step(true)
	}
	samples := make([]backends.Sample, t.Repetitions)
	for i := range samples {
		if samples[i], err = b.repetition(ctx, t); err != nil {
			return nil, err
		}
		step(false)
	}
	return samples, nil
}

// repetition runs a test once.
func (b *bench) repetition(ctx context.Context, t backends.EngineTest) (took backends.Sample, err error) {
	if err := b.deepen(ctx, t.Depth); err != nil {
		return took, err
	}
	prompts, tokens := b.texts(t)
	began := time.Now()
	if err := b.run(ctx, prompts); err != nil {
		return took, err
	}
	if t.Shared {
		b.CopyToAll(t.Prompt, t.Parallel)
	}
	took.Prefill = time.Since(began)
	began = time.Now()
	if err := b.run(ctx, tokens); err != nil {
		return took, err
	}
	took.Decode = time.Since(began)
	return took, nil
}

// unknownSize stands in llama.cpp's description of a model for whose size it has no name.
const unknownSize = "?B"

// Summary implements [backends.Engine].
func (m *Model) Summary() backends.Summary {
	described := strings.Replace(m.weights.Type(), unknownSize, backends.SizeLabel(m.file.Parameters()), 1)
	return backends.Summary{Type: described, SizeBytes: m.file.TensorBytes(), Parameters: m.file.Parameters()}
}
