package quantize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"proctor/backends/gguf"
)

// kind is a way to quantise a model: llama.cpp's enum llama_ftype.
type kind struct {
	name   string
	base   string // ggml's type of most of its tensors
	matrix bool   // llama.cpp refuses it without an importance matrix
}

// kinds are all that there are, the finest first.
var kinds = []kind{
	{"F32", "F32", false}, {"F16", "F16", false}, {"BF16", "BF16", false}, {"Q8_0", "Q8_0", false}, {"Q6_K", "Q6_K", false},
	{"Q5_1", "Q5_1", false}, {"Q5_K_M", "Q5_K", false}, {"Q5_0", "Q5_0", false}, {"Q5_K_S", "Q5_K", false}, {"Q4_1", "Q4_1", false},
	{"Q4_K_M", "Q4_K", false}, {"Q4_K_S", "Q4_K", false}, {"Q4_0", "Q4_0", false}, {"IQ4_NL", "IQ4_NL", false},
	{"IQ4_XS", "IQ4_XS", false}, {"MXFP4_MOE", "MXFP4", false}, {"Q3_K_L", "Q3_K", false}, {"Q3_K_M", "Q3_K", false},
	{"IQ3_M", "IQ3_S", false}, {"Q3_K_S", "Q3_K", false}, {"IQ3_S", "IQ3_S", false}, {"IQ3_XS", "IQ3_S", false},
	{"IQ3_XXS", "IQ3_XXS", true}, {"Q2_K", "Q2_K", false}, {"Q2_K_S", "Q2_K", true}, {"IQ2_M", "IQ2_S", true},
	{"IQ2_S", "IQ2_XS", true}, {"IQ2_XS", "IQ2_XS", true}, {"TQ2_0", "TQ2_0", false}, {"IQ2_XXS", "IQ2_XXS", true},
	{"IQ1_M", "IQ1_M", true}, {"TQ1_0", "TQ1_0", false}, {"IQ1_S", "IQ1_S", true},
}

// mixtures name tensors to which llama.cpp gives another type than the base, in a share of the layers. Smaller parts, and what depends
// on the model, are left out.
var mixtures = []struct {
	kinds, tensors, to string
	share              float64
}{
	{"Q5_K_M Q4_K_M", "attn_v ffn_down", "Q6_K", 0.5}, {"Q3_K_L", "attn_v ffn_down attn_output", "Q5_K", 1},
	{"Q3_K_M", "attn_v ffn_down attn_output", "Q4_K", 1}, {"Q2_K", "attn_v ffn_down attn_output", "Q3_K", 1},
	{"IQ4_XS IQ4_NL Q4_K_S", "ffn_down", "Q5_K", 0.125}, {"IQ3_M", "attn_v attn_output", "Q4_K", 1},
	{"IQ3_XS", "attn_q attn_k", "IQ3_XXS", 1}, {"IQ3_XS", "ffn_gate ffn_up", "IQ3_XXS", 0.75},
	{"IQ3_XXS", "attn_q attn_k", "IQ2_S", 1}, {"IQ3_XXS IQ2_M IQ2_S", "attn_output token_embd", "IQ3_S", 1},
	{"IQ2_XS IQ2_XXS IQ1_M IQ1_S", "attn_v token_embd", "Q2_K", 1}, {"TQ2_0 TQ1_0", "token_embd", "Q4_K", 1},
}

// fallbacks have blocks of 32 weights and stand for types whose blocks of 256 don't fill a row. What is not among them becomes IQ4_NL,
// or Q4_0 of the same size, as it depends on llama.cpp's release.
var fallbacks = map[string]string{"Q6_K": "Q8_0", "Q5_K": "Q5_1", "Q4_K": "Q5_0"}

// bits are those of a weight in rows of a width that get a type, or what it falls back to.
func bits(of string, width int64) float64 {
	block, bytes, _ := gguf.Layout(of)
	switch {
	case width%block == 0:
		return 8 * float64(bytes) / float64(block)
	case block <= 32: // what else fits any row is F16
		return 16
	}
	return bits(cmp.Or(fallbacks[of], "IQ4_NL"), width)
}

// bits are those of a weight of a tensor; output says whether it gives the scores of tokens.
func (k kind) bits(t gguf.Tensor, output bool) float64 {
	width := t.Shape[0]
	base := bits(k.base, width)
	switch {
	case k.base == "MXFP4" && !(len(t.Shape) > 2 && t.Shape[2] > 1): // what is no expert's
		return bits("Q8_0", width)
	case output:
		return max(base, bits("Q6_K", width))
	}
	for _, m := range mixtures {
		if slices.Contains(strings.Fields(m.kinds), k.name) &&
			slices.ContainsFunc(strings.Fields(m.tensors), func(part string) bool { return strings.Contains(t.Name, part) }) {
			return base + m.share*(bits(m.to, width)-base)
		}
	}
	return base
}

// Types returns the names of the types, such as Q4_K_M, the finest first.
func Types() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// find returns the type with the given name; case does not matter.
func find(name string) (kind, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return strings.EqualFold(k.name, name) })
	if i < 0 {
		return kind{}, fmt.Errorf("unknown type %q: choose one of %s", name, strings.Join(Types(), ", "))
	}
	return kinds[i], nil
}
