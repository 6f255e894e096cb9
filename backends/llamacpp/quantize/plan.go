package quantize

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/gguf"
)

// Plan describes a quantised file before it is written. llama.cpp decides which type each tensor gets, and its releases differ in small parts.
type Plan struct {
	Type  string // as Types has it
	Bytes int64  // of the file, about: within a few per cent

	kind
	tensors []gguf.Tensor // in the order in which they are written
}

// Estimate plans to quantise the model as a type, such as Q4_K_M; imatrix says whether with an importance matrix. It refuses an
// unknown type with the list of all, and a type too small to be of use without a matrix.
func Estimate(model *gguf.File, name string, imatrix bool) (Plan, error) {
	k, err := find(name)
	if err != nil {
		return Plan{}, err
	}
	if k.matrix && !imatrix {
		return Plan{}, fmt.Errorf("%s would be of no use without an importance matrix: make one with llama-imatrix, or "+
			"choose "+
			"another type, such as Q2_K", k.name)
	}
	plan := Plan{Type: k.name, Bytes: model.Size, kind: k, tensors: inOrder(model.Tensors)}
	output := "token_embd.weight" // where one matrix is both
	if _, apart := model.Tensor("output.weight"); apart {
		output = "output.weight"
	}
	for _, t := range plan.tensors {
		if !isMatrix(t) {
			continue
		}
		plan.Bytes += int64(k.bits(t, t.Name == output)*float64(t.Elements)/8) - t.Bytes
	}
	return plan, nil
}

// FellBack says what a quantised model's matrices have in place of a type whose blocks don't fill their rows; empty where they do.
func FellBack(model *gguf.File) string {
	k, err := find(model.FileType())
	if err != nil {
		return ""
	}
	block, _, _ := gguf.Layout(k.base)
	base, other, others, rows := 0, 0, []string{}, []string{}
	for _, t := range model.Tensors {
		if width := fmt.Sprint(t.Shape[0]); isMatrix(t) && t.Shape[0]%block != 0 && !slices.Contains(rows, width) {
			rows = append(rows, width)
		}
	}
	for _, t := range model.Types() {
		if name := t.Type.String(); name == k.base {
			base = t.Tensors
		} else if name != "F32" { // which norms have, that are never quantised
			other, others = other+t.Tensors, append(others, fmt.Sprint(name, " ", t.Tensors))
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d tensors are %s: %s (rows of %s are no multiple of %d); %.2f bits a weight", base, base+other, k.base,
		strings.Join(others, ", "), strings.Join(rows, " and "), block, model.BitsPerWeight())
}

// kept are parts of names of small matrices that stay what they are.
var kept = []string{
	"_norm.weight", "ffn_gate_inp.weight", "altup", "laurel", "per_layer_model_proj", "ssm_conv1d", "shortconv.conv.weight",
	"time_mix_first.weight", "time_mix_w0.weight", "time_mix_w1.weight", "time_mix_w2.weight", "time_mix_v0.weight",
	"time_mix_v1.weight", "time_mix_v2.weight", "time_mix_a0.weight", "time_mix_a1.weight", "time_mix_a2.weight", "time_mix_g1.weight",
	"time_mix_g2.weight", "time_mix_decay_w1.weight", "time_mix_decay_w2.weight", "time_mix_lerp_fused.weight", "attn_rel_b.weight",
	"position_embd.", "token_types.weight",
}

// isMatrix says whether llama.cpp quantises a tensor.
func isMatrix(t gguf.Tensor) bool {
	return strings.HasSuffix(t.Name, "weight") && dimensions(t) > 1 &&
		!slices.ContainsFunc(kept, func(part string) bool { return strings.Contains(t.Name, part) })
}

// dimensions are those of more than one element, and all before the last of them.
func dimensions(t gguf.Tensor) int {
	for n := len(t.Shape); n > 1; n-- {
		if t.Shape[n-1] > 1 {
			return n
		}
	}
	return 1
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
