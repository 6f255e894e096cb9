package gguf

import (
	"cmp"
	"fmt"
	"slices"
)

// Type is how the elements of a tensor are stored: ggml's enum ggml_type.
type Type uint32

// layout is a block of elements and the bytes it takes.
type layout struct {
	name         string
	block, bytes int64
}

// layouts holds the types of ggml's type_traits table, as of November 2026; the numbers that are missing were withdrawn.
var layouts = map[Type]layout{
	0: {"F32", 1, 4}, 1: {"F16", 1, 2}, 2: {"Q4_0", 32, 18}, 3: {"Q4_1", 32, 20}, 6: {"Q5_0", 32, 22},
	7: {"Q5_1", 32, 24}, 8: {"Q8_0", 32, 34}, 9: {"Q8_1", 32, 36}, 10: {"Q2_K", 256, 84}, 11: {"Q3_K", 256, 110},
	12: {"Q4_K", 256, 144}, 13: {"Q5_K", 256, 176}, 14: {"Q6_K", 256, 210}, 15: {"Q8_K", 256, 292},
	16: {"IQ2_XXS", 256, 66}, 17: {"IQ2_XS", 256, 74}, 18: {"IQ3_XXS", 256, 98}, 19: {"IQ1_S", 256, 50},
	20: {"IQ4_NL", 32, 18}, 21: {"IQ3_S", 256, 110}, 22: {"IQ2_S", 256, 82}, 23: {"IQ4_XS", 256, 136},
	24: {"I8", 1, 1}, 25: {"I16", 1, 2}, 26: {"I32", 1, 4}, 27: {"I64", 1, 8}, 28: {"F64", 1, 8},
	29: {"IQ1_M", 256, 56}, 30: {"BF16", 1, 2}, 34: {"TQ1_0", 256, 54}, 35: {"TQ2_0", 256, 66}, 39: {"MXFP4", 32, 17},
	40: {"NVFP4", 64, 36}, 41: {"Q1_0", 128, 18}, 42: {"Q2_0", 64, 18},
}

// String returns ggml's name of the type in capitals, such as Q4_K.
func (t Type) String() string {
	if l, ok := layouts[t]; ok {
		return l.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Layout returns how many elements a block of the type that ggml calls name has, and its bytes; known is false for other names.
func Layout(name string) (elements, bytes int64, known bool) {
	for _, l := range layouts {
		if l.name == name {
			return l.block, l.bytes, true
		}
	}
	return 0, 0, false
}

// Bytes returns what this many elements of the type that ggml calls name take; known is false for other names.
func Bytes(name string, elements int64) (bytes int64, known bool) {
	block, size, known := Layout(name)
	if !known {
		return 0, false
	}
	return elements / block * size, true
}

// MarshalText makes a type its name in JSON.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// TypeCount is one line of a histogram of tensor types.
type TypeCount struct {
	Type    Type  `json:"type"`
	Tensors int   `json:"tensors"`
	Bytes   int64 `json:"bytes"`
}

// Types returns which types the tensors have, the one with most bytes first.
func (f *File) Types() []TypeCount {
	counts := []TypeCount{}
	for _, t := range f.Tensors {
		i := slices.IndexFunc(counts, func(c TypeCount) bool { return c.Type == t.Type })
		if i < 0 {
			i, counts = len(counts), append(counts, TypeCount{Type: t.Type})
		}
		counts[i].Tensors++
		counts[i].Bytes += t.Bytes
	}
	slices.SortStableFunc(counts, func(a, b TypeCount) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return counts
}

// fileTypes names general.file_type: llama.cpp's enum llama_ftype, without its LLAMA_FTYPE_ and MOSTLY_.
var fileTypes = map[int64]string{
	0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
	13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
	21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
	29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE", 39: "NVFP4", 40: "Q1_0",
	41: "Q2_0",
}

// FileTypeNumber is llama.cpp's number of a file type, 0 for one that it does not know.
func FileTypeNumber(name string) int {
	for number, known := range fileTypes {
		if known == name {
			return int(number)
		}
	}
	return 0
}

// FileType returns the model's quantisation as llama.cpp names it, such as Q4_K_M; where the file does not say, the
// type that most of its bytes have, marked so.
func (f *File) FileType() string {
	if n, ok := f.Int("general.file_type"); ok {
		if name, known := fileTypes[n]; known {
			return name
		}
	}
	counts := f.Types()
	if len(counts) == 0 {
		return ""
	}
	return "mostly " + counts[0].Type.String()
}
