package quantize

import (
	"fmt"
	"slices"
	"strings"
)

// kind is a way to quantise a model: llama.cpp's enum llama_ftype.
type kind struct {
	name   string
	base   string  // ggml's type of most of its tensors
	bits   float64 // per weight of a matrix: the mean of an 8B Llama's, as llama.cpp's documents have it
	matrix bool    // llama.cpp refuses it without an importance matrix
}

// kinds are all that there are, the finest first.
var kinds = []kind{
	{"F32", "F32", 32, false}, {"F16", "F16", 16, false}, {"BF16", "BF16", 16, false}, {"Q8_0", "Q8_0", 8.5, false},
	{"Q6_K", "Q6_K", 6.57, false}, {"Q5_1", "Q5_1", 6.03, false}, {"Q5_K_M", "Q5_K", 5.7, false}, {"Q5_0", "Q5_0", 5.57, false},
	{"Q5_K_S", "Q5_K", 5.57, false}, {"Q4_1", "Q4_1", 5.1, false}, {"Q4_K_M", "Q4_K", 4.89, false}, {"Q4_K_S", "Q4_K", 4.67, false},
	{"Q4_0", "Q4_0", 4.64, false}, {"IQ4_NL", "IQ4_NL", 4.67, false}, {"IQ4_XS", "IQ4_XS", 4.46, false},
	{"MXFP4_MOE", "MXFP4", 4.25, false}, {"Q3_K_L", "Q3_K", 4.3, false}, {"Q3_K_M", "Q3_K", 4, false}, {"IQ3_M", "IQ3_S", 3.76, false},
	{"Q3_K_S", "Q3_K", 3.64, false}, {"IQ3_S", "IQ3_S", 3.66, false}, {"IQ3_XS", "IQ3_S", 3.5, false},
	{"IQ3_XXS", "IQ3_XXS", 3.25, true}, {"Q2_K", "Q2_K", 3.16, false}, {"Q2_K_S", "Q2_K", 2.97, true}, {"IQ2_M", "IQ2_S", 2.93, true},
	{"IQ2_S", "IQ2_XS", 2.74, true}, {"IQ2_XS", "IQ2_XS", 2.59, true}, {"TQ2_0", "TQ2_0", 2.4, false},
	{"IQ2_XXS", "IQ2_XXS", 2.38, true}, {"IQ1_M", "IQ1_M", 2.15, true}, {"TQ1_0", "TQ1_0", 2.1, false}, {"IQ1_S", "IQ1_S", 2, true},
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
