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
	Copy(from, to int32)
	Share(group, length []int32)
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

// CopyToAll copies the tokens of sequence 0 to all sequences, as in a run.
func (f *Feed) CopyToAll(tokens, sequences int) {
	for seq := 1; seq < sequences; seq++ {
		f.Engine.Copy(0, int32(seq))
	}
	length := make([]int32, sequences)
	length[0] = int32(tokens)
	f.Engine.Share(make([]int32, sequences), length)
}

// Text returns n tokens of sequence 0 in batches of at most room tokens. It begins as the model wants texts to begin; the last token of
// each batch is scored.
func (f *Feed) Text(n, room int) []engine.Batch { return f.text(0, n, room) }

// Tokens returns n tokens from a position on as they are drawn, one by one.
func (f *Feed) Tokens(at, n int) []engine.Batch { return f.text(at, n, 1) }

func (f *Feed) text(at, n, room int) []engine.Batch {
	all := f.fill(at, n, 1, room, func(i int) bool { return (i+1)%room == 0 || i == n-1 })
	if bos, adds := f.vocabulary.BOS(); adds && n > 0 {
		all[0][0].ID = bos
	}
	return all
}

// Prompts returns n tokens of each sequence, from a position on, one sequence after the other, in batches of at most room
// tokens. The last token of every sequence is scored.
func (f *Feed) Prompts(at, n, sequences, room int) []engine.Batch {
	return f.fill(at, n, sequences, room, func(i int) bool { return i == n-1 })
}

// Step returns a token of each sequence at a position, as they are drawn: all of them scored, in batches of at most room tokens.
func (f *Feed) Step(at, sequences, room int) []engine.Batch {
	return f.Prompts(at, 1, sequences, room)
}

// fill makes batches of random tokens. scored says for which tokens of a sequence the scores are computed.
func (f *Feed) fill(at, n, sequences, room int, scored func(i int) bool) (all []engine.Batch) {
	for sequence := range sequences {
		for i := range n {
			last := len(all) - 1
			if last < 0 || len(all[last]) == room {
				all, last = append(all, nil), last+1
			}
			all[last] = append(all[last], engine.Token{
				ID: f.random.Int32N(f.vocabulary.Tokens()), Position: int32(at + i), Sequence: int32(sequence),
				Draw: scored(i),
			})
		}
	}
	return all
}
