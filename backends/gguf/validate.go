package gguf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// mend is what to do about a file that is not as its format or its model wants.
const mend = ": download it again, or convert it anew"

// Validate refuses a model that the llama.cpp which is compiled in would not survive: it takes much of a file for granted, and ends
// the process where that does not hold. What llama.cpp refuses itself is left to it. It reads nothing more of the file.
func (f *File) Validate() error {
	return cmp.Or(f.Sound(), f.refuse(cmp.Or(f.checkHeads(), f.checkState(), f.checkExperts(), f.checkRope(), f.checkTensors())))
}

// Sound refuses a model whose header no release of llama.cpp would survive. What a layer has in it, a later release may read otherwise.
func (f *File) Sound() error {
	return f.refuse(cmp.Or(f.checkName(), f.checkLists(), f.checkVocabulary(), f.checkLayers(), f.checkNumbers()))
}

func (f *File) refuse(err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w%s", f.Path, err, mend)
	}
	return nil
}

// key is the full name of one of the model's own keys.
func (f *File) key(name string) string { return f.Architecture() + "." + name }

// damaged is the error of one of the model's own keys that is n.
func (f *File) damaged(name string, n int64, why string, args ...any) error {
	return fmt.Errorf("damaged: the key %q is %d, %s", f.key(name), n, fmt.Sprintf(why, args...))
}

// checkName looks at the architecture, whose name goes into all others. Which there are, llama.cpp knows.
func (f *File) checkName() error {
	if name := f.Architecture(); strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return fmt.Errorf("damaged: the key \"general.architecture\" is %.40q, and names are ASCII without blanks", name)
	}
	return nil
}

// checkLists looks at the elements of lists of the model's own: of the types that its loader knows, it takes any for the one that it
// expects.
func (f *File) checkLists() error {
	for _, each := range []struct {
		key   string
		kinds []uint32
	}{
		{f.key("feed_forward_length"), []uint32{typeInt32, typeUint32}},
		{f.key("attention.head_count"), []uint32{typeInt32, typeUint32}},
		{f.key("attention.head_count_kv"), []uint32{typeInt32, typeUint32}},
		{f.key("rope.dimension_sections"), []uint32{typeInt32, typeUint32}},
		{f.key("classifier.output_labels"), []uint32{typeString}},
		{"xielu.alpha_n", []uint32{typeFloat32}},
		{"xielu.alpha_p", []uint32{typeFloat32}},
		{"xielu.beta", []uint32{typeFloat32}},
		{"xielu.eps", []uint32{typeFloat32}},
	} {
		if _, is := f.values[each.key].(array); !is {
			continue
		}
		if _, err := f.list(each.key, each.kinds...); err != nil {
			return err
		}
	}
	return nil
}

const mostLayers = 512 // LLAMA_MAX_LAYERS

// checkLayers looks at how many layers there are, and how many heads each has.
func (f *File) checkLayers() error {
	layers, said := f.Int(f.key("block_count"))
	if !said {
		return nil // llama.cpp refuses it
	}
	if layers < 1 || layers > mostLayers {
		return fmt.Errorf("damaged: the key %q is %d, and a model has 1 to %d layers", f.key("block_count"), layers, mostLayers)
	}
	if f.Architecture() == "baichuan" && layers != 32 && layers != 40 {
		return fmt.Errorf("the key %q is %d, llama.cpp knows Baichuan with 32 or 40 layers alone", f.key("block_count"), layers)
	}
	for _, name := range []string{"context_length", "embedding_length"} {
		if n, said := f.Int(f.key(name)); said && (n < 1 || n > math.MaxInt32) {
			return fmt.Errorf("damaged: the key %q is %d", f.key(name), n)
		}
	}
	return nil
}

// ropeScalings are the names that llama.cpp knows.
var ropeScalings = []string{"none", "linear", "yarn", "longrope"}

func (f *File) checkRope() error {
	key := f.key("rope.scaling.type")
	if name, is := f.values[key].(string); is && !slices.Contains(ropeScalings, name) {
		return fmt.Errorf("the key %q is %.40q, llama.cpp knows %s", key, name, strings.Join(ropeScalings, ", "))
	}
	return nil
}

// checkNumbers looks at the model's own fractions: none may be no number, and what keeps a norm from dividing by 0 not below 0.
func (f *File) checkNumbers() error {
	for _, key := range f.own() {
		n, is := f.values[key].(float64)
		switch {
		case !is:
		case math.IsNaN(n) || math.IsInf(n, 0):
			return fmt.Errorf("damaged: the key %q is %v", key, n)
		case strings.HasSuffix(key, "epsilon") && n < 0:
			return fmt.Errorf("damaged: the key %q is %v, below 0", key, n)
		}
	}
	return nil
}

// own are the model's own keys, in alphabetical order.
func (f *File) own() []string {
	var all []string
	for key := range f.values {
		if strings.HasPrefix(key, f.Architecture()+".") {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

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
