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

// Validate refuses a model that llama.cpp would not survive: it takes much of a file for granted, and ends the process where that
// does not hold. What llama.cpp refuses itself is left to it. It reads nothing more of the file.
func (f *File) Validate() error {
	err := cmp.Or(f.checkVocabulary(), f.checkLayers(), f.checkHeads(), f.checkState(), f.checkExperts(), f.checkRope(),
		f.checkNumbers(), f.checkTensors())
	if err != nil {
		return fmt.Errorf("%s: %w%s", f.Path, err, mend)
	}
	return nil
}

// key is the full name of one of the model's own keys.
func (f *File) key(name string) string { return f.Architecture() + "." + name }

// llama.cpp's limits: LLAMA_MAX_LAYERS, LLAMA_MAX_EXPERTS, and the last of llama_expert_gating_func_type.
const (
	mostLayers      = 512
	mostExperts     = 512
	gatingFunctions = 3
)

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

// checkHeads looks at how wide attention is.
func (f *File) checkHeads() error {
	heads := f.Ints(f.key("attention.head_count"))
	if len(heads) == 0 || heads[0] == 0 && f.headless() {
		return nil
	}
	for _, n := range heads {
		if n < 0 || n > math.MaxInt32 || n == 0 && len(heads) == 1 {
			return fmt.Errorf("damaged: the key %q is %d", f.key("attention.head_count"), n)
		}
	}
	width := f.ArchInt("embedding_length", 0) / max(heads[0], 1)
	for _, name := range []string{"attention.key_length", "attention.value_length"} {
		if n := f.ArchInt(name, width); n < 1 || n > math.MaxInt32 {
			return fmt.Errorf("damaged: the key %q is %d, with %d heads", f.key(name), n, heads[0])
		}
	}
	width = f.ArchInt("attention.key_length", width)
	if turned := f.ArchInt("rope.dimension_count", width); heads[0] > 0 && (turned < 0 || turned > width || turned%2 != 0) {
		return fmt.Errorf("damaged: the key %q is %d, not an even number up to the width of a head, %d", f.key("rope.dimension_count"),
			turned, width)
	}
	return nil
}

// headless says whether the architecture is one without attention.
func (f *File) headless() bool {
	name := f.Architecture()
	return strings.HasPrefix(name, "mamba") || strings.HasPrefix(name, "rwkv") || strings.HasPrefix(name, "arwkv")
}

// checkState looks at the state of layers without attention.
func (f *File) checkState() error {
	inner, width := f.ArchInt("ssm.inner_size", 0), f.ArchInt("embedding_length", 0)
	if slices.Contains([]string{"mamba", "mamba2", "jamba"}, f.Architecture()) && inner != 2*width {
		return fmt.Errorf("the key %q is %d, llama.cpp knows only twice the width of %d", f.key("ssm.inner_size"), inner, width)
	}
	return nil
}

// checkExperts looks at numbers that belong together.
func (f *File) checkExperts() error {
	all, used := f.ArchInt("expert_count", 0), f.ArchInt("expert_used_count", 0)
	groups, usedGroups := f.ArchInt("expert_group_count", 0), f.ArchInt("expert_group_used_count", 0)
	switch {
	case all < 0 || all > mostExperts:
		return fmt.Errorf("damaged: the key %q is %d, llama.cpp has at most %d experts", f.key("expert_count"), all, mostExperts)
	case used < 0 || used > all || all > 0 && used == 0:
		return fmt.Errorf("damaged: the key %q is %d, of %d experts", f.key("expert_used_count"), used, all)
	case groups < 0 || groups > 0 && groups >= all || groups > 1 && all%groups != 0:
		return fmt.Errorf("damaged: the key %q is %d, of %d experts", f.key("expert_group_count"), groups, all)
	case groups > 1 && (usedGroups < 1 || usedGroups >= groups):
		return fmt.Errorf("damaged: the key %q is %d, of %d groups", f.key("expert_group_used_count"), usedGroups, groups)
	case f.ArchInt("expert_gating_func", 0) < 0 || f.ArchInt("expert_gating_func", 0) > gatingFunctions:
		return fmt.Errorf("damaged: the key %q is %d, llama.cpp knows 1 to %d", f.key("expert_gating_func"),
			f.ArchInt("expert_gating_func", 0), gatingFunctions)
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
