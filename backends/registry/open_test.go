package registry

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/scripts/tests/errortest"
)

func TestEveryReferenceHasOneWhoAnswers(t *testing.T) {
	for ref, want := range map[string]string{
		"embedded": "embedded", "./embedded": "PATH.gguf", "model.gguf": "PATH.gguf", "gollama:x.gguf": "gollama:PATH.gguf",
		"ollama:llama3": "ollama:NAME", "ollama:": "ollama:NAME", "Ollama:llama3": "PATH.gguf", "models/ollama:": "PATH.gguf",
		"openai:qwen3": "openai:NAME",
	} {
		b, err := (&Options{Ref: ref}).meant()
		assert.Check(t, err == nil && b.Scheme == want, "%s: %v, %v; want %s", ref, b, err, want)
	}
	for _, ref := range []string{"", " "} {
		_, err := (&Options{Ref: ref}).meant()
		errortest.For(t, ref, err, "model is empty")
	}
}

// TestAFlagThatDoesNotApplyIsNamed demands that every refused flag is an error, of all ways to open a model, and
// that nothing is refused which nobody gave.
func TestAFlagThatDoesNotApplyIsNamed(t *testing.T) {
	refs := map[string]Options{
		"embedded": {Ref: Default}, "ollama:NAME": {Ref: "ollama:x"},
		"openai:NAME": {Ref: "openai:x"}, "PATH.gguf": {Ref: "model.gguf"}, "gollama:PATH.gguf": {Ref: "gollama:model.gguf"},
	}
	for _, b := range All {
		options, known := refs[b.Scheme]
		assert.Check(t, known && len(b.Lacks) > 0, "%s has no reference here, or can do everything", b.Scheme)
		for need, why := range b.Lacks {
			for _, flag := range needs[need] {
				options.Given = []string{"model", flag.String()}
				_, opened := Model(context.Background(), options)
				_, read := Reading(context.Background(), options, true)
				for _, err := range []error{opened, read} {
					errortest.For(t, b.Scheme, err, flag.String()+" does not apply to ")
					assert.ErrorIs(t, err, why)
				}
			}
		}
		options.Given = []string{"model", "ctx", "verbose"}
		_, err := options.meant()
		assert.NilError(t, err, b.Scheme)
	}
}

func TestHelpNamesWhatCanBeOpened(t *testing.T) {
	assert.Equal(t, Forms(), "embedded, ollama:NAME, openai:NAME, gollama:PATH.gguf, or PATH.gguf")
	for _, b := range All {
		assert.Check(t, b.Means == "" || strings.Contains(References(), b.Scheme+" for "+b.Means), "%s: %s", b.Scheme, References())
	}
}
