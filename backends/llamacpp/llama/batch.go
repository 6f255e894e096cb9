package llama

// #include "engine.h"
import "C"

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// What is drawn where the scores are no numbers is the same on both sides of cgo.
var _ = [1]struct{}{}[engine.NoToken-C.PROCTOR_NO_TOKEN]

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

// Operations is how many operations of batches all engines of this process have computed on the CPU. One takes seconds where a batch
// takes hours.
func Operations() int64 { return atomic.LoadInt64((*int64)(&C.proctor_operations)) }

func (e *Engine) decode(b engine.Batch, drawn []int32) error {
	defer batches.Add(1)
	if len(b) > e.Batch() {
		reason := fmt.Sprintf("a batch of %d tokens is more than the %d that the context takes", len(b), e.Batch())
		return failure(backends.CauseEngine, reason)
	}
	if slices.ContainsFunc(b, func(t engine.Token) bool { return t.Prompt != b[0].Prompt }) {
		return failure(backends.CauseEngine, "a batch has tokens of prompts and others: kernels may compute each in their way")
	}
	if e.threads != nil && len(b) > 0 {
		e.threads.Prompts(b[0].Prompt)
	}
	e.yield()
	e.tokens = e.tokens[:0]
	for _, t := range b {
		token := C.proctor_token{
			token: C.int32_t(t.ID), position: C.int32_t(t.Position), sequence: C.int32_t(t.Sequence), draw: C.bool(t.Draw),
		}
		if sampler, drawn := t.Sampler.(*Sampler); drawn && t.Draw {
			token.sampler = sampler.c
		}
		e.tokens = append(e.tokens, token)
	}
	result := C.proctor_engine_decode(e.c, C.int32_t(len(b)), unsafe.SliceData(e.tokens), (*C.int32_t)(unsafe.SliceData(drawn)))
	switch result {
	case 0:
		return nil
	case 1:
		return failure(backends.CauseMemory, "the cache has no room")
	case 2:
		return engine.ErrCancelled
	case -2:
		return failure(backends.CauseMemory, e.log.reason("llama.cpp could not get memory for a batch"))
	}
	return failure(backends.CauseEngine, e.log.reason(fmt.Sprintf("llama.cpp failed to decode a batch (%d)", result)))
}

func failure(cause backends.Cause, reason string) error {
	return &engine.DecodeError{Cause: cause, Reason: reason}
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
