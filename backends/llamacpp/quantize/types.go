package quantize

import (
	"fmt"
	"slices"
	"strings"
)

// kind is a way to quantise a model: llama.cpp's enum llama_ftype.
type kind struct {
	name string
	base string // ggml's type of most of its tensors
}

// kinds are all that there are, the finest first.
var kinds = []kind{
	{"F32", "F32"}, {"F16", "F16"}, {"BF16", "BF16"}, {"Q8_0", "Q8_0"}, {"Q6_K", "Q6_K"},
	{"Q5_1", "Q5_1"}, {"Q5_K_M", "Q5_K"}, {"Q5_0", "Q5_0"}, {"Q5_K_S", "Q5_K"},
	{"Q4_1", "Q4_1"}, {"Q4_K_M", "Q4_K"}, {"Q4_K_S", "Q4_K"}, {"Q4_0", "Q4_0"}, {"IQ4_NL", "IQ4_NL"}, {"IQ4_XS", "IQ4_XS"},
	{"MXFP4_MOE", "MXFP4"}, {"Q3_K_L", "Q3_K"}, {"Q3_K_M", "Q3_K"}, {"IQ3_M", "IQ3_S"}, {"Q3_K_S", "Q3_K"}, {"IQ3_S", "IQ3_S"},
	{"IQ3_XS", "IQ3_S"}, {"IQ3_XXS", "IQ3_XXS"}, {"Q2_K", "Q2_K"}, {"Q2_K_S", "Q2_K"}, {"IQ2_M", "IQ2_S"}, {"IQ2_S", "IQ2_XS"},
	{"IQ2_XS", "IQ2_XS"}, {"TQ2_0", "TQ2_0"}, {"IQ2_XXS", "IQ2_XXS"}, {"IQ1_M", "IQ1_M"}, {"TQ1_0", "TQ1_0"}, {"IQ1_S", "IQ1_S"},
}

// Types returns the names of the types, such as Q4_K_M, the finest first.
func Types() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// find returns the type of that name; case does not matter.
func find(name string) (kind, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return strings.EqualFold(k.name, name) })
	if i < 0 {
		return kind{}, fmt.Errorf("unknown type %q: choose one of %s", name, strings.Join(Types(), ", "))
	}
	return kinds[i], nil
}
