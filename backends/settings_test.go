package backends

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/scripts/tests/errortest"
)

// Adapters are read as they are written, whatever their files are called.
func TestAdaptersMayBeCalledAnything(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"a,b.gguf", "c=0.5", "d=e.gguf", "f,g=2"} {
		assert.NilError(t, os.WriteFile(at(name), nil, 0o600))
	}
	for text, want := range map[string]Adapters{
		"x.gguf":                       {{Ref: "x.gguf", Scale: 1}},
		"x.gguf=0.5,y.gguf":            {{Ref: "x.gguf", Scale: 0.5}, {Ref: "y.gguf", Scale: 1}},
		"x=y.gguf=-1":                  {{Ref: "x=y.gguf", Scale: -1}},
		at("a,b.gguf"):                 {{Ref: at("a,b.gguf"), Scale: 1}},
		at("a,b.gguf") + "=0.5":        {{Ref: at("a,b.gguf"), Scale: 0.5}},
		at("c=0.5"):                    {{Ref: at("c=0.5"), Scale: 1}},
		at("c=0.5") + "=2":             {{Ref: at("c=0.5"), Scale: 2}},
		at("d=e.gguf") + ",x.gguf=0.1": {{Ref: at("d=e.gguf"), Scale: 1}, {Ref: "x.gguf", Scale: 0.1}},
		at("f,g=2"):                    {{Ref: at("f,g=2"), Scale: 1}},
	} {
		var got, again Adapters
		assert.NilError(t, got.Set(text), text)
		assert.Check(t, is.DeepEqual(got, want), text)
		for _, each := range got.Texts() {
			assert.NilError(t, again.Set(each), each)
		}
		assert.Check(t, is.DeepEqual(again, want), "%s is written as %q", text, got.Texts())
	}
	errortest.Says(t, new(Adapters).Set("x=y.gguf"), `the scale "y.gguf" is not a number`)
}

func TestLayersAreWrittenAsTheyAreRead(t *testing.T) {
	for text, want := range map[string]Layers{"0": NoLayers, "7": 7, "all": AllLayers, "999": AllLayers,
		"auto": AutoLayers} {
		var got, again Layers
		assert.Check(t, got.Set(text) == nil && got == want, "%s: %d", text, got)
		assert.Check(t, again.Set(got.Texts()[0]) == nil && again == want, "%s is written as %s", text, got.Texts())
	}
	assert.Check(t, new(Layers).Texts() == nil)
	for _, text := range []string{"", "-1", "few", "1000"} {
		assert.Check(t, new(Layers).Set(text) != nil, text)
	}
}

func TestABackendKnowsItsSettings(t *testing.T) {
	for _, test := range []struct {
		backend, flag string
		knows         bool
	}{
		{"llamacpp", "slots", true}, {"openai", "slots", false}, {"ollama", "threads", true}, {"openai", "threads", false},
		{"openai", "extra-body", true}, {"ollama", "extra-body", false}, {"gollama", "sampling min_p", false},
		{"ollama", "sampling min_p", true}, {"gollama", "sampling top_k", true}, {"gollama", "ctx", true}, {"gollama",
			"limit", true},
	} {
		assert.Check(t, Knows(test.backend, test.flag) == test.knows, "%s, %s", test.backend, test.flag)
	}
}
