package gguf

import (
	"fmt"
	"slices"
	"strings"
)

// uncomputed are the types that llama.cpp cannot compute a layer with: those in which it keeps what is in between, and integers.
var uncomputed = []string{"Q8_1", "Q8_K", "I8", "I16", "I32", "I64", "F64"}

// mapped is what the data of a tensor must lie at a multiple of where the file is mapped: ggml's TENSOR_ALIGNMENT.
const mapped = 32

// lookedUp are the tensors whose rows llama.cpp looks up.
var lookedUp = []string{"token_embd.weight", "token_types.weight", "position_embd.weight", "per_layer_token_embd.weight"}

// biased are the architectures whose convolution bias llama.cpp calls optional, and then adds without a check.
var biased = []string{"falcon-h1", "granitehybrid", "nemotron_h", "nemotron_h_moe"}

// checkTensors looks at what llama.cpp fails on only when it computes.
func (f *File) checkTensors() error {
	names := make(map[string]bool, len(f.Tensors))
	for _, t := range f.Tensors {
		names[t.Name] = true
	}
	for _, t := range f.Tensors {
		bias := strings.TrimSuffix(t.Name, "weight") + "bias"
		switch name := t.Type.String(); {
		case slices.Contains(uncomputed, name):
			return fmt.Errorf("tensor %q has the type %s, which llama.cpp does not compute with", t.Name, name)
		case slices.Contains(lookedUp, t.Name) && len(t.Shape) > 2 && t.Shape[2]*t.Shape[len(t.Shape)-1] > 1:
			return fmt.Errorf("damaged: tensor %q has the shape %v, and is a table: its rows are looked up", t.Name, t.Shape)
		case t.elementwise() && name != "F32":
			return fmt.Errorf("tensor %q has the type %s, llama.cpp computes with such as F32 alone", t.Name, name)
		case t.place%mapped != 0:
			return fmt.Errorf("the data of tensor %q begin at byte %d of the file, not at a multiple of %d, as llama.cpp needs it", t.Name,
				t.place, mapped)
		case strings.HasSuffix(t.Name, ".ssm_conv1d.weight") && slices.Contains(biased, f.Architecture()) && !names[bias]:
			return fmt.Errorf("damaged: the tensor %q is missing", bias)
		}
	}
	return nil
}

// elementwise says whether the tensor is added or multiplied number by number, instead of being a matrix that others are
// multiplied by: converters leave those in 32 bits.
func (t *Tensor) elementwise() bool {
	name, weight := strings.CutSuffix(t.Name, ".weight")
	return len(t.Shape) == 1 || !weight || strings.HasSuffix(name, "_norm") || strings.HasSuffix(name, "ssm_conv1d") ||
		strings.HasSuffix(name, "shortconv.conv")
}
