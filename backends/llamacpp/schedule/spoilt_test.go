package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// overflowing is a fake of a model whose numbers overflow at an exclamation mark: nothing can be drawn behind it any more. Until it is
// cleared, whoever begins in it gets what is left there.
type overflowing struct {
	statefulEngine
	left [][]int32 // what the sequences held when it was spoilt; nil: it is not
}

func (e *overflowing) Spoil() {
	e.statefulEngine.Spoil()
	if e.left == nil {
		e.left = make([][]int32, len(e.cells))
		for seq, held := range e.cells {
			e.left[seq] = slices.Clone(held)
		}
	}
}

func (e *overflowing) Clear() {
	e.statefulEngine.Clear()
	e.left = nil
}

func (e *overflowing) Copy(from, to int32) {
	e.statefulEngine.Copy(from, to)
	if e.left != nil {
		e.left[to] = e.left[from]
	}
}

func (e *overflowing) Decode(b engine.Batch) ([]int32, error) {
	for _, token := range b {
		if e.left == nil {
			break
		}
		left, held := e.left[token.Sequence], e.cells[token.Sequence]
		if len(left) == 0 || !slices.Equal(left, held[:min(len(left), len(held))]) {
			e.t.Errorf("sequence %d begins with %q in what an overflow has left", token.Sequence, text(held))
		}
	}
	drawn, err := e.statefulEngine.Decode(b)
	for i, token := range b {
		if err == nil && token.Draw && slices.Contains(e.cells[token.Sequence], '!') {
			drawn[i] = engine.NoToken
		}
	}
	return drawn, err
}

// A request whose numbers overflow fails alone. Those that are under way are finished, and none begins before the memory is overwritten.
func TestARequestThatOverflowsFailsAlone(t *testing.T) {
	requests := subjects(3, 9)
	broken := []int{4, 5, 17}
	for _, i := range broken {
		requests[i].Prompt += "!" + requests[i].Prompt
	}
	for _, slots := range []int{1, 3, 8} {
		for _, room := range []int{32, 512} {
			t.Run(fmt.Sprintf("%d slots, batches of %d", slots, room), func(t *testing.T) {
				e := overflowing{statefulEngine: statefulEngine{hybrid: true}}
				checkTexts(t, answered(t, &e, slots, room, requests), requests, broken...)
				assert.Check(t, e.spoilt != 0, "the engine was not told")
			})
		}
	}
}

// What requests leave that are broken off, nobody has looked at: between answers, or in the first part of a prompt.
func TestAGenerationThatIsBrokenOffSpoilsTheEngine(t *testing.T) {
	broken := errors.New("broken off")
	for _, want := range []error{nil, broken, context.Canceled} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		e := fakeEngine{onDecode: func(engine.Batch) error {
			if want == context.Canceled {
				cancel()
			}
			return nil
		}}
		err := Generate(ctx, &e, letters{}, e.begin(t, 3, 64), slices.Values(subjects(1, 6)),
			func(backends.Completion) error { return want })
		assert.Check(t, errors.Is(err, want) && e.spoilt > 0 == (want != nil), "%v: %v, the engine was told %d times", want,
			err, e.spoilt)
	}
}
