package tune

import (
	"context"
	"errors"
	"math/rand/v2"

	"proctor/backends/llamacpp/engine"
)

// Engine has the methods that a measurement calls on a context; [llama.Engine] is one.
type Engine interface {
	Evaluate(engine.Batch) error
	CancelWith(context.Context) (undo func())
}

// Vocabulary has the methods that a measurement calls on a model; [llama.Model] is one.
type Vocabulary interface {
	Tokens() int32
	BOS() (token int32, adds bool)
}

// Feed makes batches of random tokens for an engine, the same ones each time.
type Feed struct {
	Engine     Engine
	vocabulary Vocabulary
	random     *rand.Rand
}

// NewFeed begins a feed.
func NewFeed(e Engine, v Vocabulary) *Feed {
	return &Feed{Engine: e, vocabulary: v, random: rand.New(rand.NewPCG(1, 2))}
}

// Run computes the batches, until ctx ends.
func (f *Feed) Run(ctx context.Context, batches []engine.Batch) error {
	for _, part := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.Engine.Evaluate(part); err != nil {
			if errors.Is(err, engine.ErrCancelled) && ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
	return nil
}

// Text returns n tokens of sequence 0 from a position on, in batches of at most room tokens: 1 for tokens as they are
// drawn. It begins as the model wants texts to begin; the last token of each batch is scored.
func (f *Feed) Text(at, n, room int) (all []engine.Batch) {
	for i := range n {
		if i%room == 0 {
			all = append(all, nil)
		}
		last := len(all) - 1
		all[last] = append(all[last], engine.Token{
			ID: f.random.Int32N(f.vocabulary.Tokens()), Position: int32(at + i), Draw: (i+1)%room == 0 || i == n-1,
		})
	}
	if bos, adds := f.vocabulary.BOS(); adds && n > 0 {
		all[0][0].ID = bos
	}
	return all
}
