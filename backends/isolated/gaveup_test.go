//go:build unix && cgo

package isolated

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/child"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// An epsilon below 0 is one that ggml gives up on.
func init() {
	abort = func() { _, _ = kernelstest.Compute(kernelstest.Norms{Width: 1, Epsilon: -1, Rows: []float32{1}}, 1, 1) }
}

func TestWhatKillsTwiceIsGivenUp(t *testing.T) {
	t.Parallel()
	requests := questions(9)
	requests[4].Prompt = deadly
	o := options(write(t))
	o.Model, o.Slots = aborts, 3
	m := open(t, o)
	got := answers(t, m, requests, nil)
	for _, id := range slices.Sorted(maps.Keys(got)) {
		c := got[id]
		if id != "item/4" {
			assert.Check(t, c.Finish != backends.FinishError, "%s: %s", id, c.Error)
			continue
		}
		assert.Check(t, c.Finish == backends.FinishError && c.Cause == backends.CauseCrash && c.Tries == 2 &&
			!strings.Contains(c.Error, "\n") &&
			strings.HasPrefix(c.Error, "the engine's process died of it twice: llama.cpp gave up: "), "%s: %+v", id, c)
	}
	assert.Check(t, m.deaths == 2, "%d deaths", m.deaths)
}

func TestAnEngineThatDiesOfEverythingIsBroken(t *testing.T) {
	t.Parallel()
	o := options(write(t))
	o.Model, o.Slots = aborts, 4
	m := open(t, o)
	requests := questions(20)
	for i := range requests {
		requests[i].Prompt = deadly
	}
	failed := 0
	err := m.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
		failed++
		return nil
	})
	var death *child.Death
	const says = "aborts: the engine's process died: llama.cpp gave up: "
	assert.Check(t, errors.As(err, &death) && failed == mostInARow && strings.HasPrefix(err.Error(), says), "%d failed, %v", failed, err)
}
