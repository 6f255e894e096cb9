package llamacpp

// #include "engine.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"
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
		if err := (&Options{KVType: kind}).settle(); err != nil {
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
	defer b.engine.cancelWith(ctx)()
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
	var room [256]C.char
	C.llama_model_desc(m.weights.model, &room[0], C.size_t(unsafe.Sizeof(room)))
	return Summary{
		Type:       C.GoString(&room[0]),
		SizeBytes:  int64(C.llama_model_size(m.weights.model)),
		Parameters: int64(C.llama_model_n_params(m.weights.model)),
	}
}

// context returns the settings of a context in which each of so many sequences holds so many tokens.
func (s BenchSettings) context(tokens, sequences int) settings {
	return settings{
		context: roundUp(tokens), sequences: sequences, batch: s.Batch, ubatch: min(s.Microbatch, s.Batch), threads: s.Threads,
		kvType: s.KeyType, valueType: s.ValueType, flash: s.FlashAttention, windowed: true,
	}
}

// checkBench refuses a context that does not fit into the memory.
func (m *Model) checkBench(bench BenchSettings, s settings) error {
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
	asked, fit := s.context, 0
	for low, high := 1, s.context/cellStep; low < high; { // the first count of steps that is too many
		middle := (low + high) / 2
		if s.context = middle * cellStep; m.benchBytes(s) <= free {
			fit, low = s.context, middle+1
		} else {
			high = middle
		}
	}
	if fit == 0 {
		return fmt.Errorf("llamacpp: the benchmark needs %s, %s of memory are free: choose a smaller quantisation or fewer sequences", bytesText(need), bytesText(m.available))
	}
	return fmt.Errorf("llamacpp: %d tokens in each of %d sequences need %s, %s of memory are free: %d tokens would fit", asked, s.sequences, bytesText(need), bytesText(m.available), fit)
}

// benchBytes is what a context takes whose keys and values differ in type: half of each kind's.
func (m *Model) benchBytes(s settings) int64 {
	keys := m.allocate(s)
	s.kvType = s.valueType
	return keys.Total() + (m.allocate(s).KV-keys.KV)/2
}

// bench is a context that random tokens are fed to.
type bench struct {
	model  *Model
	engine *engine
	room   int // tokens of one call
	random *rand.Rand
	deep   int // tokens that the cache was filled with before the last repetition
}

func (m *Model) openBench(s settings) (*bench, error) {
	m.digest.Close() // it would compute beside the benchmark
	m.release()
	return m.newBench(s)
}

func (m *Model) newBench(s settings) (*bench, error) {
	e, err := newEngine(m.weights, s, m.log)
	if err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	return &bench{
		model: m, engine: e, room: s.batch, random: rand.New(rand.NewPCG(1, 2)),
	}, nil
}

// Close frees the context.
func (b *bench) Close() { b.engine.Close() }

// token draws any token of the vocabulary.
func (b *bench) token() int32 { return b.random.Int32N(b.model.weights.size()) }

// first is the token that a text begins with.
func (b *bench) first() int32 {
	if w := b.model.weights; w.addBOS {
		return w.bos
	}
	return b.token()
}

// pass returns the batches of a prompt and of tokens that follow one by one, from a position on.
func (b *bench) pass(at, prompt, generate int) []batch {
	all := b.text(at, prompt, b.room)
	return append(all, b.text(at+prompt, generate, 1)...)
}

// text returns n tokens in batches of at most room, the last token of each scored.
func (b *bench) text(at, n, room int) []batch {
	var all []batch
	for done := 0; done < n; {
		var part batch
		for end := min(done+room, n); done < end; done++ {
			token := b.token()
			if done == 0 {
				token = b.first()
			}
			part.add(token, at+done, 0, done == end-1, nil)
		}
		all = append(all, part)
	}
	return all
}

// run decodes the batches.
func (b *bench) run(ctx context.Context, batches []batch) error {
	for _, part := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.engine.batch = part
		if err := b.engine.evaluate(b.model.log); err != nil {
			if errors.Is(err, errCancelled) && ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("llamacpp: %w", err)
		}
	}
	return nil
}

// deepen leaves the cache with the first tokens of a text, so many of them.
func (b *bench) deepen(ctx context.Context, depth int) error {
	// What is past the depth can be cut off again, but not where old tokens had to make room for it.
	whole := !b.model.weights.recurrent() && C.llama_model_n_swa(b.model.weights.model) == 0
	if b.deep == depth && depth > 0 && whole && b.engine.trim(0, depth) {
		return nil
	}
	b.engine.clear()
	b.deep = depth
	return b.run(ctx, b.pass(0, depth, 0))
}
