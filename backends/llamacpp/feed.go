package llamacpp

import (
	"context"
	"fmt"

	"proctor/backends"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/tune"
)

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

// prompts returns the batches of all sequences' prompts, one sequence after the other. The last token alone is scored.
func (b *bench) prompts(t backends.EngineTest) []llama.Batch {
	all := b.Fill(b.room)
	for seq := range t.Prompts() {
		for i := range t.Prompt {
			all.Add(i, seq, seq == t.Prompts()-1 && i == t.Prompt-1)
		}
	}
	return all.Batches
}

// continuations returns the batches of one token after the other, for all sequences at a time.
func (b *bench) continuations(t backends.EngineTest) []llama.Batch {
	all := b.Fill(b.room)
	for i := range t.Generate {
		all.End()
		for seq := range t.Parallel {
			all.Add(t.Prompt+i, seq, true)
		}
	}
	return all.Batches
}
