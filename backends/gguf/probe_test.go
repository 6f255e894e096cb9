package gguf

import (
	"bytes"
	"slices"
	"testing"
)

// TestAProbeHasTheKindOfItsFile reads probes back, with every type that there is.
func TestAProbeHasTheKindOfItsFile(t *testing.T) {
	var every []Type
	for kind := range layouts {
		every = append(every, kind)
	}
	slices.Sort(every)
	for name, types := range map[string][]Type{"gemma4": every, "": nil, "llama": {12, 0}} {
		whole := ProbeOf(name, types...)
		f, err := Read(bytes.NewReader(whole), int64(len(whole)), "probe")
		if err != nil || f.Architecture() != name || len(f.Tensors) != len(types) {
			t.Errorf("%q with %v: %v", name, types, err)
			continue
		}
		for i, tensor := range f.Tensors {
			if tensor.Type != types[i] || tensor.Elements != layouts[tensor.Type].block {
				t.Errorf("%q: tensor %d is %+v", name, i, tensor)
			}
		}
		if !bytes.Equal(f.Probe(), whole) {
			t.Errorf("%q: its own probe is another one", name)
		}
	}
}

// TestTypesOfNewerReleasesAreKnown holds the sizes against what ggml_blck_size and ggml_type_size say in v0.5.0.
func TestTypesOfNewerReleasesAreKnown(t *testing.T) {
	for kind, want := range map[Type]layout{40: {"NVFP4", 64, 36}, 41: {"Q1_0", 128, 18}, 42: {"Q2_0", 64, 18}} {
		if layouts[kind] != want {
			t.Errorf("type %d is %+v, want %+v", kind, layouts[kind], want)
		}
	}
}
