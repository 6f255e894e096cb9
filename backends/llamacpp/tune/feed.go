package tune

import (
	"context"
	"errors"
	"math/rand/v2"

	"proctor/backends/llamacpp/llama"
)

// Engine is what a measurement needs of a context; [llama.Engine] is one.
type Engine interface {
	Evaluate(llama.Batch) error
	Copy(from, to int32)
	Share(group, length []int32)
	CancelWith(context.Context) (undo func())
}

// Vocabulary is what a measurement needs of a model; [llama.Model] is one.
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
func (f *Feed) Run(ctx context.Context, batches []llama.Batch) error {
	for _, part := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.Engine.Evaluate(part); err != nil {
			if errors.Is(err, llama.ErrCancelled) && ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
	return nil
}

// Text returns n tokens of sequence 0, from a position on, in batches of at most room tokens. It begins as the model wants
// texts to begin; the last token of each batch is scored.
func (f *Feed) Text(at, n, room int) []llama.Batch {
	all := f.Fill(room)
	for i := range n {
		all.Add(at+i, 0, (i+1)%room == 0 || i == n-1)
	}
	if bos, adds := f.vocabulary.BOS(); adds && n > 0 {
		all.Batches[0][0].ID = bos
	}
	return all.Batches
}

// Fill begins batches of at most room tokens.
func (f *Feed) Fill(room int) *Filling { return &Filling{feed: f, room: room} }

// Filling is batches that are being filled with random tokens.
type Filling struct {
	Batches []llama.Batch
	feed    *Feed
	room    int
	ended   bool // the last batch takes no more
}

// Add puts a token of a sequence at a position. Its scores are computed where it is scored.
func (f *Filling) Add(position, sequence int, scored bool) {
	last := len(f.Batches) - 1
	if last < 0 || f.ended || len(f.Batches[last]) == f.room {
		f.Batches, last, f.ended = append(f.Batches, nil), last+1, false
	}
	f.Batches[last] = append(f.Batches[last], llama.Token{
		ID: f.feed.random.Int32N(f.feed.vocabulary.Tokens()), Position: int32(position), Sequence: int32(sequence), Draw: scored,
	})
}

// End lets the next token begin a new batch.
func (f *Filling) End() { f.ended = true }
