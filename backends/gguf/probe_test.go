package gguf

import (
	"bytes"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// TestAProbeHasTheKindOfItsFile reads probes back, with every type that there is.
func TestAProbeHasTheKindOfItsFile(t *testing.T) {
	var every []Type
	for kind := range layouts {
		every = append(every, kind)
	}
	slices.Sort(every)
	for name, types := range map[string][]Type{"gemma4": every, "": nil, "llama": {12, 0}} {
		whole := ProbeOf(name, "", types...)
		f, err := Read(bytes.NewReader(whole), int64(len(whole)), "probe")
		if err != nil || f.Architecture() != name || len(f.Tensors) != len(types) {
			t.Errorf("%q with %v: %v", name, types, err)
			continue
		}
		for i, tensor := range f.Tensors {
			assert.Check(t, tensor.Type == types[i] && tensor.Elements == layouts[tensor.Type].block,
				"%q: tensor %d is %+v", name, i, tensor)
		}
		assert.Check(t, bytes.Equal(f.Probe(""), whole), "%q: its own probe is another one", name)
	}
}

// Of the vocabulary, a probe has a pre-tokenizer, which only vocabularies of byte pairs need.
func TestAProbeHasThePreTokenizer(t *testing.T) {
	for _, test := range []struct {
		vocabulary, named string
		want              string
		needed            bool
	}{
		{"gpt2", "smollm", "smollm", true}, {"gpt2", "", "", true}, {"llama", "default", "", false}, {"", "", "", false},
	} {
		var w Writer
		w.Text(vocabularyKey, test.vocabulary)
		if test.named != "" {
			w.Text(preTokenizerKey, test.named)
		}
		head := w.Header()
		f, err := Read(bytes.NewReader(head), int64(len(head)), "model")
		assert.NilError(t, err)
		pre, needed := f.PreTokenizer()
		assert.Check(t, pre == test.want && needed == test.needed, "%+v: %q, %t", test, pre, needed)
	}
	whole := ProbeOf("llama", "smollm", 12)
	f, err := Read(bytes.NewReader(whole), int64(len(whole)), "probe")
	assert.Assert(t, err == nil && f.Len(tokensKey) == 1 && bytes.Equal(f.Probe("smollm"), whole), "%+v, %v", f, err)
	pre, needed := f.PreTokenizer()
	assert.Check(t, pre == "smollm" && needed, "%q, %t", pre, needed)
}

// TestTypesOfNewerReleasesAreKnown holds the sizes against what ggml_blck_size and ggml_type_size say in v0.5.0.
func TestTypesOfNewerReleasesAreKnown(t *testing.T) {
	for kind, want := range map[Type]layout{40: {"NVFP4", 64, 36}, 41: {"Q1_0", 128, 18}, 42: {"Q2_0", 64, 18}} {
		assert.Check(t, layouts[kind] == want, "type %d is %+v, want %+v", kind, layouts[kind], want)
	}
}
