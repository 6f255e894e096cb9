package llama

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/logits"
)

// engine.NoToken must equal logits.None, the token for scores that are not numbers; else this does not compile.
var _ = [1]struct{}{}[engine.NoToken-logits.None]

// Decode computes a batch and draws the tokens that it asks for. They stand at the places of the tokens they follow, until
// the next call.
func (e *Engine) Decode(b engine.Batch) (drawn []int32, err error) {
	if err := e.decode(b, e.drawn); err != nil {
		return nil, err
	}
	return e.drawn[:len(b)], nil
}

// Evaluate computes a batch and draws nothing: scores are left unread.
func (e *Engine) Evaluate(b engine.Batch) error { return e.decode(b, nil) }

// batches counts those that were computed.
var batches atomic.Int64

// Batches is how many batches all engines of this process have computed, or have failed to: it grows while they get on.
func Batches() int64 { return batches.Load() }

func (e *Engine) decode(b engine.Batch, drawn []int32) error {
	defer batches.Add(1)
	if len(b) > e.Batch() {
		reason := fmt.Sprintf("a batch of %d tokens is more than the %d that the context takes", len(b), e.Batch())
		return failure(backends.CauseEngine, reason)
	}
	if e.watch != nil { // other programs get cores, or give them back
		if threads := e.watch.Threads(e.most); threads != e.now {
			e.lib.LlamaSetNThreads(e.context, int32(threads), int32(threads))
			e.now = threads
		}
	}
	switch result := e.compute(b, drawn); result {
	case 0:
		return nil
	case 1:
		return failure(backends.CauseMemory, "the cache has no room")
	case 2:
		return engine.ErrCancelled
	case -2:
		return failure(backends.CauseMemory, e.log.reason("llama.cpp could not get memory for a batch"))
	default:
		return failure(backends.CauseEngine, e.log.reason(fmt.Sprintf("llama.cpp failed to decode a batch (%d)", result)))
	}
}

// compute decodes tokens and draws into drawn, where it is not nil, at the places of those to draw at. It returns what llama_decode does.
func (e *Engine) compute(b engine.Batch, drawn []int32) int32 {
	l, into := e.lib, e.batch
	into.tokens = int32(len(b))
	tokens, positions := unsafe.Slice(into.token, len(b)), unsafe.Slice(into.position, len(b))
	counts, sequences, draws := unsafe.Slice(into.sequences, len(b)), unsafe.Slice(into.sequence, len(b)), unsafe.Slice(into.logits, len(b))
	for i, t := range b {
		tokens[i], positions[i], counts[i], *sequences[i], draws[i] = t.ID, t.Position, 1, t.Sequence, 0
		if t.Draw {
			draws[i] = 1
		}
	}
	result := l.LlamaDecode(e.context, into)
	if result == 0 && drawn != nil {
		e.draw(b, drawn)
	}
	l.LlamaSynchronize(e.context) // a batch without draws may still be running
	return result
}

// draw draws the tokens of a batch. The scores are looked up in one thread, as llama.cpp needs it; the draws are independent of each other.
func (e *Engine) draw(b engine.Batch, drawn []int32) {
	var scores [][]float32
	var places []int
	for i := range b {
		if !b[i].Draw {
			continue
		}
		drawn[i] = engine.NoToken
		if first := e.lib.LlamaGetLogitsIth(e.context, int32(i)); first != nil {
			scores, places = append(scores, unsafe.Slice(first, e.vocabulary)), append(places, i)
		}
	}
	e.spread(len(places), func(from, to int) {
		for n := from; n < to; n++ {
			i := places[n]
			drawn[i] = logits.Argmax(scores[n])
			if s := b[i].Sampler; s != nil && drawn[i] != engine.NoToken {
				drawn[i] = logits.Draw(scores[n], scores[n][drawn[i]], s)
			}
		}
	})
}

// Predict returns how likely the model holds the token at each place, and the likeliest tokens there. The scores must
// be numbers: [engine.NoToken] was drawn from none of them.
func (e *Engine) Predict(places []engine.Place, top int) []backends.Prediction {
	wanted := make([]logits.Place, len(places))
	for i, p := range places {
		wanted[i] = logits.Place{Scores: e.Scores(p.At), Token: p.Token, Ask: p.Ask}
	}
	predictions := make([]backends.Prediction, len(places))
	e.spread(len(places), func(from, to int) { copy(predictions[from:to], logits.Predict(wanted[from:to], top)) })
	return predictions
}

// spread divides n places among as many goroutines as the engine has threads, which wait for the next batch.
func (e *Engine) spread(n int, compute func(from, to int)) {
	var group sync.WaitGroup
	share := (n + e.most - 1) / e.most
	for from := 0; from < n; from += share {
		group.Go(func() { compute(from, min(from+share, n)) })
	}
	group.Wait()
}

// Scores are those of all tokens at a place of the last batch, decoded with Draw, until the next decode: what
// [Engine.Predict] reduces, for those who check it.
func (e *Engine) Scores(at int) []float32 {
	return unsafe.Slice(e.lib.LlamaGetLogitsIth(e.context, int32(at)), e.vocabulary)
}

func failure(cause backends.Cause, reason string) error {
	return &engine.DecodeError{Cause: cause, Reason: reason}
}
