package llamacpp

import (
	"context"
	"fmt"
	"time"

	"proctor/backends/llamacpp/llama"
)

// BatchedTest is a test in llama-batched-bench's manner: several sequences at a time, each with a prompt of random
// tokens and then so many more, one by one.
type BatchedTest struct {
	Prompt, Generate int // tokens of each sequence
	Parallel         int // sequences
	Shared           bool
	WarmUp           bool
}

// prompts is how many prompts are decoded.
func (t BatchedTest) prompts() int {
	if t.Shared {
		return 1
	}
	return t.Parallel
}

// warmUpTokens is what llama-batched-bench decodes before it measures.
const warmUpTokens = 16

// Room is how many tokens the cache has room for.
func (t BatchedTest) Room() int { return t.Parallel * roundUp(t.tokens()) }

// tokens is how many a sequence has to hold.
func (t BatchedTest) tokens() int { return max(t.Prompt+t.Generate, warmUpTokens) }

func (t BatchedTest) context(s BenchSettings) llama.Settings {
	return s.context(t.tokens(), t.Parallel)
}

// CheckBatched refuses what cannot run, with the number that could.
func (m *Model) CheckBatched(s BenchSettings, t BatchedTest) error {
	if t.Prompt < 1 || t.Generate < 0 || t.Parallel < 1 {
		return fmt.Errorf("llamacpp: %d sequences with a prompt of %d tokens are nothing to measure: each must be at least 1", t.Parallel, t.Prompt)
	}
	if t.Parallel > llama.MaxSequences {
		return fmt.Errorf("llamacpp: %d sequences: llama.cpp has at most %d", t.Parallel, llama.MaxSequences)
	}
	return m.checkBench(s, t.context(s))
}

// BenchBatched returns how long the prompts of all sequences took together, and the tokens after them. step is called
// once both are done, and with warm set after the warm-up. The end of ctx stops it.
func (m *Model) BenchBatched(ctx context.Context, s BenchSettings, t BatchedTest, step func(warm bool)) (prefill, decode time.Duration, err error) {
	if err := m.CheckBatched(s, t); err != nil {
		return 0, 0, err
	}
	b, err := m.openBench(t.context(s))
	if err != nil {
		return 0, 0, err
	}
	defer b.Close()
	defer b.engine.CancelWith(ctx)()
	if t.WarmUp {
		if err := b.run(ctx, b.Text(0, warmUpTokens, b.room)); err != nil {
			return 0, 0, err
		}
		b.engine.Clear()
		step(true)
	}
	prompts := b.prompts(t)
	began := time.Now()
	if err := b.run(ctx, prompts); err != nil {
		return 0, 0, err
	}
	if t.Shared {
		for seq := 1; seq < t.Parallel; seq++ {
			b.engine.Copy(0, int32(seq))
		}
	}
	prefill = time.Since(began)
	tokens := b.continuations(t)
	began = time.Now()
	if err := b.run(ctx, tokens); err != nil {
		return 0, 0, err
	}
	decode = time.Since(began)
	step(false)
	return prefill, decode, nil
}

// prompts returns the batches of all sequences' prompts, one sequence after the other. The last token alone is scored.
func (b *bench) prompts(t BatchedTest) []llama.Batch {
	all := b.Fill(b.room)
	for seq := range t.prompts() {
		for i := range t.Prompt {
			all.Add(i, seq, seq == t.prompts()-1 && i == t.Prompt-1)
		}
	}
	return all.Batches
}

// continuations returns the batches of one token after the other, for all sequences at a time.
func (b *bench) continuations(t BatchedTest) []llama.Batch {
	all := b.Fill(b.room)
	for i := range t.Generate {
		all.End()
		for seq := range t.Parallel {
			all.Add(t.Prompt+i, seq, true)
		}
	}
	return all.Batches
}
