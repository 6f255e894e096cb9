package llamacpp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/sharedtest"
)

// overflowMark is a token that no model writes: its embedding is infinite.
const overflowMark = "<|overflow|>"

// overflowing returns the path of a model whose numbers overflow where a prompt has overflowMark.
func overflowing(t *testing.T, a llamatest.Architecture) string {
	t.Helper()
	return written(t, "overflowing-"+string(a)+".gguf", func(m *llamatest.Model) {
		m.Architecture, m.Shape.Layers = a, max(2, a.LeastLayers())
		m.Infinite, m.Vocabulary = int32(m.Vocabulary.Size()), m.Vocabulary.With(overflowMark)
	})
}

// A prompt whose numbers overflow fails alone: all that come after it get the texts that they get without it, in this call and in the
// next, whoever computes attention and states.
func TestAPromptThatOverflowsSpoilsNoOther(t *testing.T) {
	requests := capped(fewShot(2, 5, 40, 30), 8)
	broken := backends.Request{ID: "broken", Prompt: requests[3].Prompt + strings.Repeat(" step"+overflowMark, 90), MaxTokens: 8}
	with := slices.Concat(requests[:3], []backends.Request{broken}, requests[3:])
	for _, architecture := range sharedtest.Few(2, []llamatest.Architecture{
		llamatest.Llama, llamatest.Jamba, llamatest.GPTOSS, llamatest.Mamba, llamatest.GraniteHybrid,
	}) {
		path := overflowing(t, architecture)
		for _, kernels := range slices.Compact([]string{KernelsGGML, DefaultKernels()}) {
			for _, flash := range []bool{false, true} {
				for _, slots := range sharedtest.Few(1, []int{3, 1}) {
					name := fmt.Sprintf("%s, %s, flash %v, %d slots", architecture, kernels, flash, slots)
					t.Run(name, func(t *testing.T) {
						like := &backends.EngineInfo{Slots: slots, Kernels: kernels, FlashAttention: flash}
						m := open(t, Options{Settings: backends.Settings{Context: 1024}, Path: path, Like: like})
						want := generate(t, m, requests...)
						for range 2 {
							checkSpoilt(t, want, generate(t, m, with...))
						}
					})
				}
			}
		}
	}
}

// checkSpoilt compares completions with those without the one that is broken, the fourth.
func checkSpoilt(t *testing.T, want, got []backends.Completion) {
	t.Helper()
	if c := got[3]; c.Finish != backends.FinishError || !strings.Contains(c.Error, "not numbers") {
		t.Errorf("%+v", c)
	}
	for i, c := range slices.Delete(got, 3, 4) {
		assert.Check(t, c.Finish != backends.FinishError && c.Text == want[i].Text,
			"%s: got %q (%s), without the broken one %q", c.ID, c.Text, c.Error, want[i].Text)
	}
}
