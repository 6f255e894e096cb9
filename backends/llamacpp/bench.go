package llamacpp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/tune"
)

// BenchSettings are those of the context that a benchmark makes for itself. What they leave open is as llama-bench
// has it: a cache for each sequence, layers with a sliding window keep only the tokens in it.
type BenchSettings struct {
	Threads        int
	Batch          int    // tokens of one call of the engine at most
	Microbatch     int    // tokens computed at a time
	KeyType        string // element type of the cache's keys
	ValueType      string // and of its values
	FlashAttention bool
}

// Check refuses settings that the engine cannot have. It needs no model.
func (s BenchSettings) Check() error {
	if s.Threads < 1 || s.Batch < 1 || s.Microbatch < 1 {
		return fmt.Errorf("llamacpp: %d threads, a batch of %d and a microbatch of %d: each must be at least 1", s.Threads, s.Batch, s.Microbatch)
	}
	for _, kind := range []string{s.KeyType, s.ValueType} {
		if err := (&Options{KVType: kind}).applyDefaults(); err != nil {
			return err
		}
	}
	if needsFlash(s.ValueType) && !s.FlashAttention {
		return fmt.Errorf("llamacpp: a cache with values of type %s needs flash attention", s.ValueType)
	}
	return nil
}

// BenchTest is a test in llama-bench's manner: so many random tokens as a prompt, then so many one after the other.
type BenchTest struct {
	Prompt, Generate int
	Depth            int // tokens that the cache holds before the clock starts
	Repetitions      int
	WarmUp           bool // run the prompt and one generated token first, untimed
}

// CheckBench refuses what cannot run, with the number that could.
func (m *Model) CheckBench(s BenchSettings, t BenchTest) error {
	if t.Prompt < 0 || t.Generate < 0 || t.Depth < 0 || t.Prompt+t.Generate == 0 || t.Repetitions < 1 {
		return errors.New("llamacpp: a test needs tokens, none of them below zero, and a repetition")
	}
	return m.checkBench(s, s.context(t.Depth+t.Prompt+t.Generate, 1))
}

// Bench returns how long each repetition of a test took. Tokens are drawn before the clock starts, no token is drawn
// from the scores, and the cache is cleared before each repetition. step is called after each repetition, and with warm
// set after the warm-up. The end of ctx stops it.
func (m *Model) Bench(ctx context.Context, s BenchSettings, t BenchTest, step func(warm bool)) ([]time.Duration, error) {
	if err := m.CheckBench(s, t); err != nil {
		return nil, err
	}
	b, err := m.openBench(s.context(t.Depth+t.Prompt+t.Generate, 1))
	if err != nil {
		return nil, err
	}
	defer b.Close()
	defer b.engine.CancelWith(ctx)()
	if t.WarmUp {
		if err := b.run(ctx, b.pass(0, t.Prompt, min(t.Generate, 1))); err != nil {
			return nil, err
		}
		step(true)
	}
	samples := make([]time.Duration, t.Repetitions)
	for i := range samples {
		if err := b.deepen(ctx, t.Depth); err != nil {
			return nil, err
		}
		pass := b.pass(t.Depth, t.Prompt, t.Generate)
		began := time.Now()
		if err := b.run(ctx, pass); err != nil {
			return nil, err
		}
		samples[i] = time.Since(began)
		step(false)
	}
	return samples, nil
}

// Summary is what llama.cpp says of a model in a line of a benchmark.
type Summary struct {
	Type       string // such as "llama 1B Q4_K - Medium"
	SizeBytes  int64  // of all tensors
	Parameters int64
}

// Summary tells what the model is.
func (m *Model) Summary() Summary {
	return Summary{Type: m.weights.Type(), SizeBytes: m.file.TensorBytes(), Parameters: m.file.Parameters()}
}

// context returns the settings of a context in which each of so many sequences holds so many tokens.
func (s BenchSettings) context(tokens, sequences int) llama.Settings {
	return llama.Settings{
		EngineInfo: backends.EngineInfo{
			Context: roundUp(tokens), Slots: sequences, Batch: s.Batch, Microbatch: min(s.Microbatch, s.Batch), Threads: s.Threads,
			KVType: s.KeyType, FlashAttention: s.FlashAttention,
		},
		ValueType: s.ValueType, Windowed: true,
	}
}

// checkBench refuses a context that does not fit into the memory.
func (m *Model) checkBench(bench BenchSettings, s llama.Settings) error {
	if m.closed {
		return ErrClosed
	}
	if err := bench.Check(); err != nil {
		return err
	}
	free := int64(float64(m.available) * headroom)
	need := m.benchBytes(s)
	if m.available == 0 || need <= free {
		return nil
	}
	asked, fit := s.Context, 0
	for low, high := 1, s.Context/cellStep; low < high; { // the first count of steps that is too many
		middle := (low + high) / 2
		if s.Context = middle * cellStep; m.benchBytes(s) <= free {
			fit, low = s.Context, middle+1
		} else {
			high = middle
		}
	}
	if fit == 0 {
		return fmt.Errorf("llamacpp: the benchmark needs %s, %s of memory are free: choose a smaller quantisation or fewer sequences", bytesText(need), bytesText(m.available))
	}
	return fmt.Errorf("llamacpp: %d tokens in each of %d sequences need %s, %s of memory are free: %d tokens would fit", asked, s.Slots, bytesText(need), bytesText(m.available), fit)
}

// benchBytes is what a context takes whose keys and values differ in type: half of each kind's.
func (m *Model) benchBytes(s llama.Settings) int64 {
	keys := m.allocate(s)
	s.KVType = s.ValueType
	return keys.Total() + (m.allocate(s).KV-keys.KV)/2
}

// bench is a context that random tokens are fed to.
type bench struct {
	*tune.Feed
	engine  *llama.Engine
	weights *llama.Model
	room    int // tokens of one call
	deep    int // tokens that the cache was filled with before the last repetition
}

func (m *Model) openBench(s llama.Settings) (*bench, error) {
	m.digest.Close() // it would compute beside the benchmark
	m.release()
	e, err := m.weights.NewEngine(s)
	if err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	return &bench{Feed: tune.NewFeed(e, m.weights), engine: e, weights: m.weights, room: s.Batch}, nil
}

// Close frees the context.
func (b *bench) Close() { b.engine.Close() }

// pass returns the batches of a prompt and of tokens that follow one by one, from a position on.
func (b *bench) pass(at, prompt, generate int) []llama.Batch {
	return append(b.Text(at, prompt, b.room), b.Text(at+prompt, generate, 1)...)
}

// run decodes the batches.
func (b *bench) run(ctx context.Context, batches []llama.Batch) error {
	if err := b.Run(ctx, batches); err != nil && ctx.Err() == nil {
		return fmt.Errorf("llamacpp: %w", err)
	}
	return ctx.Err()
}

// deepen leaves the cache with the first tokens of a text, so many of them.
func (b *bench) deepen(ctx context.Context, depth int) error {
	// What is past the depth can be cut off again, but not where old tokens had to make room for it.
	if b.deep == depth && depth > 0 && !b.weights.Recurrent() && !b.weights.Windowed() && b.engine.Trim(0, depth) {
		return nil
	}
	b.engine.Clear()
	b.deep = depth
	return b.run(ctx, b.pass(0, depth, 0))
}
