package tune

import (
	"context"
	"errors"
	"math/rand/v2"

	"proctor/backends/llamacpp/engine"
)

// Engine is what a measurement needs of a context; [llama.Engine] is one.
type Engine interface {
	Evaluate(engine.Batch) error
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

// Text returns n tokens of sequence 0, from a position on, in batches of at most room tokens. It begins as the model wants
// texts to begin; the last token of each batch is scored.
func (f *Feed) Text(at, n, room int) []engine.Batch {
	return f.text(filling{feed: f, room: room, prompt: true}, at, n)
}

// Tokens returns the same as they are drawn, one by one.
func (f *Feed) Tokens(at, n int) []engine.Batch { return f.text(filling{feed: f, room: 1}, at, n) }

func (f *Feed) text(all filling, at, n int) []engine.Batch {
	for i := range n {
		all.add(at+i, 0, (i+1)%all.room == 0 || i == n-1)
	}
	if bos, adds := f.vocabulary.BOS(); adds && n > 0 {
		all.batches[0][0].ID = bos
	}
	return all.batches
}

// Prompts returns n tokens of each sequence, from a position on, one sequence after the other, in batches of at most room
// tokens. each says whether the last token of every sequence is scored, or only the last one's.
func (f *Feed) Prompts(at, n, sequences, room int, each bool) []engine.Batch {
	return f.each(filling{feed: f, room: room, prompt: true}, at, n, sequences, each)
}

// Step returns a token of each sequence at a position, as they are drawn: all of them scored, in batches of at most room tokens.
func (f *Feed) Step(at, sequences, room int) []engine.Batch {
	return f.each(filling{feed: f, room: room}, at, 1, sequences, true)
}

func (f *Feed) each(all filling, at, n, sequences int, each bool) []engine.Batch {
	for seq := range sequences {
		for i := range n {
			all.add(at+i, seq, i == n-1 && (each || seq == sequences-1))
		}
	}
	return all.batches
}

// filling is batches that are being filled with random tokens.
type filling struct {
	batches []engine.Batch
	feed    *Feed
	room    int
	prompt  bool // else the tokens are drawn
}

func (f *filling) add(position, sequence int, scored bool) {
	last := len(f.batches) - 1
	if last < 0 || len(f.batches[last]) == f.room {
		f.batches, last = append(f.batches, nil), last+1
	}
	f.batches[last] = append(f.batches[last], engine.Token{
		ID:       f.feed.random.Int32N(f.feed.vocabulary.Tokens()),
		Position: int32(position), Sequence: int32(sequence), Prompt: f.prompt, Draw: scored,
	})
}
