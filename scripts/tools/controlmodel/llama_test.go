//go:build cgo

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

var tiny = Shape{Vocab: 64, Width: 64, Layers: 2, Hidden: 96, RopeBase: 100, Epsilon: 1e-5}

func someSequence(random *rand.Rand, n int) Sequence {
	s := Sequence{}
	position := int32(0)
	for i := range n {
		s.Tokens = append(s.Tokens, int32(random.IntN(tiny.Vocab)))
		position += 1 + int32(random.IntN(3))
		s.Positions = append(s.Positions, position)
		if random.IntN(3) > 0 {
			s.Rows = append(s.Rows, int32(i))
			s.Targets = append(s.Targets, int32(random.IntN(tiny.Vocab)))
			s.Weights = append(s.Weights, random.Float32())
		}
	}
	return s
}

func TestGradientsAgreeWithFiniteDifferences(t *testing.T) {
	for _, length := range []int{1, 7, 70, 131} {
		t.Run(fmt.Sprintf("a sequence of %d tokens", length), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(length)))
			params := tiny.Init(random)
			for i := range params {
				params[i] += float32(random.NormFloat64() * 0.05)
			}
			s := someSequence(random, length)
			w := NewWorkspace(tiny, length)
			defer w.Close()
			grads := make([]float32, len(params))
			w.Train(params, grads, s)
			for _, tensor := range tiny.Tensors() {
				checkDirection(t, w, params, grads, s, tensor, random)
			}
		})
	}
}

// checkDirection compares the slope along a random direction within one tensor.
func checkDirection(t *testing.T, w *Workspace, params, grads []float32, s Sequence, tensor Tensor, random *rand.Rand) {
	t.Helper()
	direction := make([]float32, tensor.Len())
	var want float64
	for i := range direction {
		direction[i] = float32(random.NormFloat64())
		want += float64(direction[i]) * float64(grads[tensor.From+i])
	}
	const reach = 2e-3
	at := func(scale float32) float64 {
		moved := append([]float32(nil), params...)
		for i, d := range direction {
			moved[tensor.From+i] += scale * d
		}
		return w.Train(moved, make([]float32, len(moved)), s)
	}
	got := (8*(at(reach)-at(-reach)) - (at(2*reach) - at(-2*reach))) / (12 * reach)
	assert.Check(t, math.Abs(got-want) <= 0.01*math.Abs(want)+0.02, "%s: gradient says %.5f, differences say %.5f", tensor.Name, want, got)
}

func TestJoinedSequencesDoNotSeeEachOther(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	params := tiny.Init(random)
	parts := []Sequence{someSequence(random, 70), someSequence(random, 9), someSequence(random, 64)}
	w := NewWorkspace(tiny, 10)
	defer w.Close()
	apart, joined := make([]float32, len(params)), make([]float32, len(params))
	var want float64
	for _, s := range parts {
		want += w.Train(params, apart, s)
	}
	got := w.Train(params, joined, Join(parts))
	assert.Check(t, math.Abs(got-want) <= 1e-4*want, "loss %v joined, %v apart", got, want)
	for i := range apart {
		assert.Assert(t, math.Abs(float64(apart[i]-joined[i])) <= 1e-4+1e-3*math.Abs(float64(apart[i])),
			"gradient %d: %v joined, %v apart", i, joined[i], apart[i])
	}
}
