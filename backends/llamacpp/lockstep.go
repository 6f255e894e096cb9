package llamacpp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/dustin/go-humanize"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/schedule"
)

// Lockstep is a model with a reference beside it, which decodes the same batches: its Predictions have a
// [backends.Reference] each, of the whole vocabulary.
type Lockstep struct {
	*Model
	reference *Model
}

var _ backends.Scorer = (*Lockstep)(nil)

// NewLockstep lays a model beside a reference of the same vocabulary. Close closes both; so does an error.
func NewLockstep(model, reference *Model) (*Lockstep, error) {
	l := &Lockstep{model, reference}
	if model.VocabularySHA256() != reference.VocabularySHA256() {
		err := fmt.Errorf("%s has another vocabulary than %s: their tokens cannot be compared", model.options.Ref, reference.options.Ref)
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Reference describes the reference.
func (l *Lockstep) Reference(ctx context.Context) (backends.Info, error) {
	return l.reference.Info(ctx)
}

// Plan implements [backends.Planner]: both models get the same slots, as many as the memory is there for.
func (l *Lockstep) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	first, err := l.reference.Plan(ctx, w)
	if err != nil {
		return first, err
	}
	given, free := l.options.Slots, l.memory.Available
	defer func() { l.options.Slots, l.memory.Available = given, free }()
	for slots := first.Slots; ; slots /= 2 {
		l.options.Slots, l.requested.Slots = slots, slots
		if free > 0 {
			l.memory.Available = max(1, free-first.Total())
		}
		second, err := l.Model.Plan(ctx, w)
		if err == nil {
			second.Description += "; " + l.reference.options.Ref + ": " + first.Description
			return second, nil
		}
		if slots == 1 || given > 0 {
			return second, fmt.Errorf("beside %s, which takes %s: %w", l.reference.options.Ref, humanize.IBytes(uint64(first.Total())), err)
		}
		l.reference.options.Slots, l.reference.requested.Slots = slots/2, slots/2
		if first, err = l.reference.Plan(ctx, w); err != nil {
			return first, err
		}
	}
}

// Generate implements [backends.Model].
func (l *Lockstep) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if l.closed {
		return backends.ErrClosed
	}
	if l.engine == nil {
		if _, err := l.Plan(ctx, backends.Workload{}); err != nil {
			return err
		}
	}
	traits, other := l.traits(), l.reference.traits()
	traits.Stateful, traits.Hybrid = traits.Stateful || other.Stateful, traits.Hybrid || other.Hybrid
	traits.Chunk = max(traits.Chunk, other.Chunk)
	return schedule.Generate(ctx, both{l.engine, l.reference.engine}, l.weights, traits, requests, done)
}

// Close frees both models. It is safe to call twice.
func (l *Lockstep) Close() error { return errors.Join(l.Model.Close(), l.reference.Close()) }

// both is an engine and a reference that does whatever it does.
type both struct{ model, reference *llama.Engine }

func (b both) each(do func(*llama.Engine)) {
	do(b.model)
	do(b.reference)
}

func (b both) Context() int { return min(b.model.Context(), b.reference.Context()) }

func (b both) NewSampler(s backends.Sampling, prompt []int32) engine.Sampler {
	return b.model.NewSampler(s, prompt)
}

// Decode draws what the model draws, but where the reference has nothing to compare it with.
func (b both) Decode(batch engine.Batch) ([]int32, error) {
	beside, err := b.reference.Decode(batch)
	if err != nil {
		return nil, err
	}
	drawn, err := b.model.Decode(batch)
	if err != nil {
		return nil, err
	}
	for i, token := range batch {
		if token.Draw && drawn[i] != engine.NoToken && beside[i] == engine.NoToken {
			drawn[i] = engine.NoReference
		}
	}
	return drawn, nil
}

func (b both) Clear() { b.each((*llama.Engine).Clear) }

func (b both) Spoil() { b.each((*llama.Engine).Spoil) }

func (b both) Copy(from, to int32) { b.each(func(e *llama.Engine) { e.Copy(from, to) }) }

func (b both) Share(group, length []int32) { b.each(func(e *llama.Engine) { e.Share(group, length) }) }

func (b both) Trim(sequence int32, from int) bool {
	model, reference := b.model.Trim(sequence, from), b.reference.Trim(sequence, from)
	return model && reference
}

// State is the length of the reference's state, it, and the model's.
func (b both) State(buf []byte, sequence int32) []byte {
	at := len(buf)
	buf = b.reference.State(append(buf, make([]byte, stateLength)...), sequence)
	binary.NativeEndian.PutUint64(buf[at:], uint64(len(buf)-at-stateLength))
	return b.model.State(buf, sequence)
}

func (b both) SetState(sequence int32, state []byte) bool {
	end := stateLength + int(binary.NativeEndian.Uint64(state))
	reference, model := b.reference.SetState(sequence, state[stateLength:end]), b.model.SetState(sequence, state[end:])
	return model && reference
}

// stateLength is the size of a length, in bytes.
const stateLength = 8

func (b both) Shares() bool { return b.model.Shares() || b.reference.Shares() }

func (b both) CancelWith(ctx context.Context) (undo func()) {
	model, reference := b.model.CancelWith(ctx), b.reference.CancelWith(ctx)
	return func() {
		model()
		reference()
	}
}

func (b both) Predict(places []engine.Place, top int) []backends.Prediction {
	return b.model.PredictBeside(b.reference, places, top)
}
