package gguf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// mend is the advice in errors about a damaged or unusual file.
const mend = ": download it again, or convert it anew"

// Validate refuses a model whose header is damaged in a way that llama.cpp would misread, or fail on without saying why. It reads only the
// header. llama.cpp itself refuses other damage; where it would crash, it does so in a process of its own.
func (f *File) Validate() error {
	err := cmp.Or(f.checkName(), f.checkLists(), f.checkVocabulary(), f.checkLayers(), f.checkNumbers())
	if err != nil {
		return fmt.Errorf("%s: %w%s", f.Path, err, mend)
	}
	return nil
}

// key is the full name of one of the model's own keys.
func (f *File) key(name string) string { return f.Architecture() + "." + name }

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
	for _, name := range []string{"context_length", "embedding_length"} {
		if n, said := f.Int(f.key(name)); said && (n < 1 || n > math.MaxInt32) {
			return fmt.Errorf("damaged: the key %q is %d", f.key(name), n)
		}
	}
	return nil
}

// checkNumbers looks at the model's own fractions: none may be no number, what keeps a norm from dividing by 0 not
// below 0, and the base of rotations above it.
func (f *File) checkNumbers() error {
	for _, key := range f.own() {
		n, is := f.values[key].(float64)
		switch {
		case !is:
		case math.IsNaN(n) || math.IsInf(n, 0):
			return fmt.Errorf("damaged: the key %q is %v", key, n)
		case strings.HasSuffix(key, "epsilon") && n < 0:
			return fmt.Errorf("damaged: the key %q is %v, below 0", key, n)
		case strings.Contains(key, ".rope.freq_base") && n <= 0: // also freq_base_swa
			return fmt.Errorf("damaged: the key %q is %v, and positions turn by powers of a number above 0", key, n)
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
