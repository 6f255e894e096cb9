package quantize

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/gguf"
)

// Plan is what a quantised file will be.
type Plan struct {
	Type    string   // as Types has it
	Bytes   int64    // of the file: exact but for some hundred bytes of its header
	Tensors []Tensor // in the order in which they are written
}

// Tensor is one tensor of a plan.
type Tensor struct {
	Name        string
	Source      gguf.Type
	SourceBytes int64
	Type        string // ggml's name, such as Q4_K
	Bytes       int64
}

// alignment is at what multiple of bytes llama.cpp begins each tensor that it writes.
const alignment = 32

func aligned(bytes int64) int64 { return (bytes + alignment - 1) / alignment * alignment }

// Estimate plans to quantise the model as a type, such as Q4_K_M; imatrix says whether with an importance matrix. It refuses an
// unknown type with the list of all, and a type too small for this model without a matrix.
func Estimate(model *gguf.File, name string, imatrix bool) (Plan, error) {
	k, err := find(name)
	if err != nil {
		return Plan{}, err
	}
	rules := newRules(model, k, imatrix)
	plan := Plan{Type: k.name, Bytes: model.Size - model.TensorBytes()} // the header, and what lies between tensors
	for _, t := range rules.tensors {
		to, err := rules.typeOf(t)
		if err != nil {
			return Plan{}, fmt.Errorf("%s: %w", model.Path, err)
		}
		bytes, _ := gguf.Bytes(to, t.Elements)
		plan.Tensors = append(plan.Tensors, Tensor{Name: t.Name, Source: t.Type, SourceBytes: t.Bytes, Type: to, Bytes: bytes})
		plan.Bytes += bytes + (aligned(bytes) - bytes) - (aligned(t.Bytes) - t.Bytes)
		if !imatrix && to != t.Type.String() && rules.needsImatrix(t.Name, to) {
			return Plan{}, fmt.Errorf("%s would be of no use without an importance matrix, since %s becomes %s: make one with proctor "+
				"imatrix, or choose a type from Q2_K on", k.name, t.Name, to)
		}
	}
	return plan, nil
}

// quantised returns the first type of the model's tensors that is a quantised one, "" where all are whole numbers or floats.
func quantised(model *gguf.File) string {
	for _, t := range model.Tensors {
		if elements, _, _ := gguf.Layout(t.Type.String()); elements > 1 {
			return t.Type.String()
		}
	}
	return ""
}

// inOrder returns tensors as llama.cpp goes through them: what belongs to no layer, then layer by layer, each by name.
func inOrder(tensors []gguf.Tensor) []gguf.Tensor {
	return slices.SortedFunc(slices.Values(tensors), func(a, b gguf.Tensor) int {
		if of := layerOf(a.Name) - layerOf(b.Name); of != 0 {
			return of
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// layerOf is the layer that a tensor's name says, -1 where it says none.
func layerOf(name string) int {
	layer := -1
	fmt.Sscanf(name, "blk.%d.", &layer)
	return layer
}
