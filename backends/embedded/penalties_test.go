package embedded_test

import (
	"fmt"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// completions asks a model the same dozen questions, of different lengths.
func completions(t *testing.T, m backends.Model, sampling backends.Sampling) map[string]string {
	t.Helper()
	var requests []backends.Request
	for i := range 12 {
		prompt := fmt.Sprintf("Question:\nWhat is %d plus %d?\nOptions:\nA. %d\nB. %d\nAnswer: Let's think step by step.",
			i, 2*i+1, 3*i+1, 3*i)
		for range i % 4 {
			prompt = "Question:\nWhat is 2 plus 2?\nOptions:\nA. 5\nB. 4\nAnswer: The answer is (B).\n\n" + prompt
		}
		requests = append(requests, backends.Request{ID: fmt.Sprint(i), Prompt: prompt, MaxTokens: 24 + i, Sampling: sampling})
	}
	texts := map[string]string{}
	err := m.Generate(t.Context(), slices.Values(requests), func(c backends.Completion) error {
		assert.Check(t, c.Finish != backends.FinishError, "%s: %s", c.ID, c.Error)
		texts[c.ID] = c.Text
		return nil
	})
	assert.Assert(t, err == nil && len(texts) == len(requests), "%d completions, %v", len(texts), err)
	return texts
}

func TestEachPenaltyChangesTextsAndNoNeighbourDoes(t *testing.T) {
	alone := open(t, llamacpp.Options{Slots: 1, KVType: "f32", Context: 512})
	eight := open(t, llamacpp.Options{Slots: 8, KVType: "f32", Context: 512})
	plain := completions(t, alone, backends.Sampling{})
	for name, sampling := range map[string]backends.Sampling{
		"repeat":           {RepeatPenalty: 1.5},
		"presence":         {PresencePenalty: 2},
		"frequency":        {FrequencyPenalty: 1},
		"all, drawn":       {Temperature: 0.8, Seed: 3, RepeatPenalty: 1.2, PresencePenalty: 1, FrequencyPenalty: 1},
		"a reward instead": {PresencePenalty: -2},
	} {
		t.Run(name, func(t *testing.T) {
			texts, changed := completions(t, alone, sampling), 0
			for id, text := range completions(t, eight, sampling) {
				assert.Check(t, text == texts[id], "%s: alone %q, among eight %q", id, texts[id], text)
				if text != plain[id] {
					changed++
				}
			}
			assert.Check(t, changed != 0, "no text differs from the one without penalties")
		})
	}
	for id, text := range completions(t, alone, backends.Sampling{RepeatPenalty: 1}) {
		assert.Check(t, text == plain[id], "%s: %q with a repeat penalty of 1, greedily %q", id, text, plain[id])
	}
}
