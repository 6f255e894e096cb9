package registry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"proctor/backends"
	"reflect"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/embedded"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

func TestEveryReferenceHasOneWhoAnswers(t *testing.T) {
	for ref, want := range map[string]string{
		"embedded": "embedded", "./embedded": "PATH.gguf", "model.gguf": "PATH.gguf", "gollama:x.gguf": "gollama:PATH.gguf",
		"ollama:llama3": "ollama:NAME", "ollama:": "ollama:NAME", "Ollama:llama3": "PATH.gguf", "models/ollama:": "PATH.gguf",
		"openai:qwen3": "openai:NAME",
	} {
		b, err := (&Options{Settings: backends.Settings{Model: ref}}).meant()
		assert.Check(t, err == nil && b.Scheme == want, "%s: %v, %v; want %s", ref, b, err, want)
	}
	for _, ref := range []string{"", " "} {
		_, err := (&Options{Settings: backends.Settings{Model: ref}}).meant()
		errortest.For(t, ref, err, "model is empty")
	}
}

// TestAFlagThatDoesNotApplyIsNamed demands that every refused flag is an error, of all ways to open a model, and
// that nothing is refused which nobody gave.
func TestAFlagThatDoesNotApplyIsNamed(t *testing.T) {
	refs := map[string]string{
		"embedded": Default, "ollama:NAME": "ollama:x", "openai:NAME": "openai:x", "PATH.gguf": "model.gguf",
		"gollama:PATH.gguf": "gollama:model.gguf",
	}
	flags := map[string]bool{"sampling min_p": true}
	for field := range reflect.TypeFor[backends.Settings]().Fields() {
		flags[field.Tag.Get("flag")] = true
	}
	for _, b := range All {
		ref, known := refs[b.Scheme]
		assert.Check(t, known, "%s has no reference here", b.Scheme)
		options := Options{Settings: backends.Settings{Model: ref}}
		lacks := 0
		for flag := range flags {
			if options.Takes(flag) {
				continue
			}
			lacks++
			options.Given = []string{"model", flag}
			_, opened := OpenModel(context.Background(), options)
			_, read := OpenReader(context.Background(), options, true)
			for _, err := range []error{opened, read} {
				errortest.For(t, b.Scheme, err, strings.ReplaceAll(flag, "-", " ")+" does not apply to "+b.Answers+": ")
			}
		}
		assert.Check(t, lacks > 0, "%s can do everything", b.Scheme)
		for flag := range b.why {
			options.Given = []string{flag}
			_, err := options.meant()
			assert.Check(t, flag == "" || err != nil, "%s knows %s, and says why it does not", b.Scheme, flag)
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
		source, quantizer, err := SourceOf(t.Context(), path, "", Options{Settings: backends.Settings{Threads: 1}})
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
