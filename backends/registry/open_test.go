package registry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
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
		for _, lack := range b.Lacks {
			for _, flag := range lack.Settings {
				options.Given = []string{"model", flag.String()}
				_, opened := OpenModel(context.Background(), options)
				_, read := OpenReader(context.Background(), options, true)
				for _, err := range []error{opened, read} {
					errortest.For(t, b.Scheme, err, flag.String()+" does not apply to ")
					assert.ErrorIs(t, err, lack.Why)
				}
			}
		}
		options.Given = []string{"model", "ctx"}
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

func TestWhatComputesWrongIsMendedByWhatIsRight(t *testing.T) {
	ggml, own := Verdict{Kernels: "ggml", Items: 3}, Verdict{Kernels: "proctor", Level: "wide", Items: 3}
	dead := func(v Verdict) Verdict { v.Died = "SIGILL"; return v }
	for name, test := range map[string]struct {
		verdicts []Verdict
		command  string // "": none
	}{
		"both right": {[]Verdict{ggml, own}, ""},
		"proctor's":  {[]Verdict{ggml, dead(own)}, "proctor run kernels ggml"},
		"ggml's":     {[]Verdict{dead(ggml), own}, "make clean build"},
		"everything": {[]Verdict{dead(ggml), dead(own)}, "make clean build"},
	} {
		advice := Remedies(test.verdicts)
		assert.Check(t, len(advice) <= 1 && append(advice, Advice{})[0].Command == test.command, "%s: %+v, want %q", name, advice, test.command)
	}
}

func TestMain(m *testing.M) {
	Child()
	sharedtest.Waiting()
	os.Exit(m.Run())
}

// TestNothingIsMadeOfAFileThatIsNotTheOneThatWasRead replaces a source before it is quantised, and while it is.
func TestNothingIsMadeOfAFileThatIsNotTheOneThatWasRead(t *testing.T) {
	control, err := embedded.File()
	assert.NilError(t, err)
	content, err := os.ReadFile(control)
	assert.NilError(t, err)
	path := filepath.Join(t.TempDir(), "model.gguf")
	another := func() { // with the size and the time of the first
		info, _ := os.Stat(path)
		assert.Check(t, os.WriteFile(path+"2", content, 0o600))
		os.Chtimes(path+"2", time.Time{}, info.ModTime())
		os.Rename(path+"2", path)
	}
	again := func() { os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }
	for name, change := range map[string]struct{ before, meanwhile func() }{
		"nothing":                             {},
		"another file takes its name before":  {before: another},
		"it is written to before":             {before: again},
		"another file takes it meanwhile":     {meanwhile: another},
		"it is written to meanwhile":          {meanwhile: again},
		"it is deleted while it is quantised": {meanwhile: func() { os.Remove(path) }},
	} {
		assert.NilError(t, os.WriteFile(path, content, 0o600))
		source, quantizer, err := SourceOf(t.Context(), path, "", Options{Options: llamacpp.Options{Threads: 1}})
		assert.NilError(t, err)
		if change.before != nil {
			change.before()
		}
		err = quantizer.Quantize(t.Context(), source, "Q8_0", filepath.Join(t.TempDir(), "q8.gguf"), func(float64) {
			if change.meanwhile != nil {
				change.meanwhile()
				change.meanwhile = nil
			}
		})
		assert.Check(t, name == "nothing" && err == nil || name != "nothing" && strings.Contains(fmt.Sprint(err), path), "%s: %v", name, err)
	}
}
