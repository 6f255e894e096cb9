package llamacpp

import (
	"context"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
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

func (m *Model) openBench(s engine.Settings) (*bench, error) {
	m.digest.Close() // it would compute beside the benchmark
	m.release()
	e, err := m.weights.NewEngine(s)
	if err != nil {
		return nil, err
	}
	return &bench{Feed: tune.NewFeed(e, m.weights), engine: e, weights: m.weights, room: s.Batch}, nil
}

// pass returns the batches of a prompt and of tokens that follow one by one, from a position on.
func (b *bench) pass(at, prompt, generate int) []engine.Batch {
	return append(b.Text(at, prompt, b.room), b.Tokens(at+prompt, generate)...)
}

// run decodes the batches.
func (b *bench) run(ctx context.Context, batches []engine.Batch) error {
	if err := b.Run(ctx, batches); err != nil && ctx.Err() == nil {
		return err
	}
	return ctx.Err()
}

// deepen leaves the cache with the first depth tokens of a text.
func (b *bench) deepen(ctx context.Context, depth int) error {
	// What is past the depth can be cut off again, but not where old tokens had to make room for it.
	if b.deep == depth && depth > 0 && !b.weights.Recurrent() && b.weights.Cache().Window == 0 && b.engine.Trim(0, depth) {
		return nil
	}
	b.engine.Clear()
	b.deep = depth
	return b.run(ctx, b.Text(0, depth, b.room))
}

// texts returns the batches of a test: of its prompts, and of the tokens after them. Of several sequences' prompts, the last
// token alone is scored.
func (b *bench) texts(t backends.EngineTest) (prompts, tokens []engine.Batch) {
	if !t.Batched {
		return b.Text(t.Depth, t.Prompt, b.room), b.Tokens(t.Depth+t.Prompt, t.Generate)
	}
	prompts = b.Prompts(0, t.Prompt, t.Prompts(), b.room, false)
	for i := range t.Generate {
		tokens = append(tokens, b.Step(t.Prompt+i, t.Parallel, b.room)...)
	}
	return prompts, tokens
}
