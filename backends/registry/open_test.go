package registry

import (
	"context"
	"errors"
	"strings"
	"testing"

	"proctor/scripts/tests/errortest"
)

func TestEveryReferenceHasOneWhoAnswers(t *testing.T) {
	for ref, want := range map[string]string{
		"embedded": "embedded", "./embedded": "PATH.gguf", "model.gguf": "PATH.gguf", "gollama:x.gguf": "gollama:PATH.gguf",
		"ollama:llama3": "ollama:NAME", "ollama:": "ollama:NAME", "Ollama:llama3": "PATH.gguf", "models/ollama:": "PATH.gguf",
		"openai:qwen3": "openai:NAME",
	} {
		b, err := (&Options{Ref: ref}).meant()
		if err != nil || b.Scheme != want {
			t.Errorf("%s: %v, %v; want %s", ref, b, err, want)
		}
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
		if !known {
			t.Errorf("%s has no reference here", b.Scheme)
		}
		if len(b.Lacks) == 0 {
			t.Errorf("%s can do everything", b.Scheme)
		}
		for need, why := range b.Lacks {
			for _, flag := range needs[need] {
				options.Given = []string{"model", flag.String()}
				_, opened := Model(context.Background(), options)
				_, read := Reading(context.Background(), options, true)
				for _, err := range []error{opened, read} {
					if err == nil || !strings.HasPrefix(err.Error(), flag.String()+" does not apply to ") || !errors.Is(err, why) {
						t.Errorf("%s with %s: %v", b.Scheme, flag, err)
					}
				}
			}
		}
		options.Given = []string{"model", "ctx", "verbose"}
		if _, err := options.meant(); err != nil {
			t.Errorf("%s: %v", b.Scheme, err)
		}
	}
}

func TestHelpNamesWhatCanBeOpened(t *testing.T) {
	if want := "embedded, ollama:NAME, openai:NAME, gollama:PATH.gguf, or PATH.gguf"; Forms() != want {
		t.Errorf("%q, want %q", Forms(), want)
	}
	for _, b := range All {
		if b.Means != "" && !strings.Contains(References(), b.Scheme+" for "+b.Means) {
			t.Errorf("%q does not name %s", References(), b.Scheme)
		}
	}
}
