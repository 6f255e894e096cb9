package llama

// #include "engine.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"proctor/backends"
)

// A Token is a place of a batch: a token of a sequence, at its position there.
type Token struct {
	ID, Position, Sequence int32
	Draw                   bool     // the scores of the token that follows are computed
	Sampler                *Sampler // draws it from them; nil takes the likeliest
}

// A Batch is the tokens of one decode, in the order of their sequences' numbers.
type Batch []Token

// NoToken is drawn where the model's scores are no numbers.
const NoToken int32 = C.PROCTOR_NO_TOKEN

// ErrCancelled is returned by a decode that was cancelled.
var ErrCancelled = errors.New("cancelled")

// DecodeError is a failure of llama.cpp to decode a batch.
type DecodeError struct {
	Cause  backends.Cause
	Reason string
}

func (e *DecodeError) Error() string { return e.Reason }

// Decode computes a batch and draws the tokens that it asks for. They stand at the places of the tokens they follow, until
// the next call.
func (e *Engine) Decode(b Batch) (drawn []int32, err error) {
	if err := e.decode(b, e.drawn); err != nil {
		return nil, err
	}
	return e.drawn[:len(b)], nil
}

// Evaluate computes a batch and draws nothing: scores are left unread.
func (e *Engine) Evaluate(b Batch) error { return e.decode(b, nil) }

func (e *Engine) decode(b Batch, drawn []int32) error {
	if len(b) > e.Batch() {
		reason := fmt.Sprintf("a batch of %d tokens is more than the %d that the context takes", len(b), e.Batch())
		return &DecodeError{backends.CauseEngine, reason}
	}
	e.yield()
	e.tokens = e.tokens[:0]
	for _, t := range b {
		token := C.proctor_token{
			token: C.int32_t(t.ID), position: C.int32_t(t.Position), sequence: C.int32_t(t.Sequence), draw: C.bool(t.Draw),
		}
		if t.Draw && t.Sampler != nil {
			token.sampler = t.Sampler.c
		}
		e.tokens = append(e.tokens, token)
	}
	result := C.proctor_engine_decode(e.c, C.int32_t(len(b)), unsafe.SliceData(e.tokens), (*C.int32_t)(unsafe.SliceData(drawn)))
	switch result {
	case 0:
		return nil
	case 1:
		return &DecodeError{backends.CauseMemory, "the cache has no room"}
	case 2:
		return ErrCancelled
	case -2:
		return &DecodeError{backends.CauseMemory, e.log.reason("llama.cpp could not get memory for a batch")}
	}
	return &DecodeError{backends.CauseEngine, e.log.reason(fmt.Sprintf("llama.cpp failed to decode a batch (%d)", result))}
}

// yield leaves cores to other programs, or takes them back.
func (e *Engine) yield() {
	if e.contention == nil {
		return
	}
	if threads, changed := e.contention.Threads(); changed {
		C.llama_set_n_threads(e.c.context, C.int32_t(threads), C.int32_t(threads))
	}
}
