package gguf

import (
	"fmt"
	"slices"
)

// llama.cpp's limits: LLAMA_MAX_EXPERTS, and the last of llama_expert_gating_func_type.
const (
	mostExperts     = 512
	gatingFunctions = 3
)

// What llama.cpp takes for granted in some architectures.
var (
	expertsNeeded = []string{"llada-moe", "glm4moe", "bailingmoe2", "smallthinker", "grovemoe", "lfm2moe"}
	gatingNeeded  = []string{"bailingmoe2", "dots1", "lfm2moe", "smallthinker", "minimax-m2"} // all others are weighed in one way
)

// checkExperts looks at numbers that belong together.
func (f *File) checkExperts() error {
	all, used := f.ArchInt("expert_count", 0), f.ArchInt("expert_used_count", 0)
	groups, usedGroups := f.ArchInt("expert_group_count", 0), f.ArchInt("expert_group_used_count", 0)
	switch {
	case all < 0 || all > mostExperts:
		return fmt.Errorf("damaged: the key %q is %d, llama.cpp has at most %d experts", f.key("expert_count"), all, mostExperts)
	case all == 0 && slices.Contains(expertsNeeded, f.Architecture()):
		return fmt.Errorf("damaged: the key %q is 0, and %s has experts", f.key("expert_count"), f.Architecture())
	case used < 0 || used > all || all > 0 && used == 0:
		return fmt.Errorf("damaged: the key %q is %d, of %d experts", f.key("expert_used_count"), used, all)
	case groups < 0 || groups > 0 && groups >= all || groups > 1 && all%groups != 0:
		return fmt.Errorf("damaged: the key %q is %d, of %d experts", f.key("expert_group_count"), groups, all)
	case groups > 1 && (usedGroups < 1 || usedGroups >= groups):
		return fmt.Errorf("damaged: the key %q is %d, of %d groups", f.key("expert_group_used_count"), usedGroups, groups)
	}
	return f.checkGating()
}

// checkGating looks at how experts are chosen.
func (f *File) checkGating() error {
	gating, least := f.ArchInt("expert_gating_func", 0), int64(0) // 0: as the architecture does
	if slices.Contains(gatingNeeded, f.Architecture()) {
		least = 1
	}
	if gating < least || gating > gatingFunctions {
		return fmt.Errorf("damaged: the key %q is %d, llama.cpp knows 1 to %d", f.key("expert_gating_func"), gating, gatingFunctions)
	}
	for _, each := range []struct{ architecture, name string }{
		{"grovemoe", "experts_per_group"}, {"ernie4_5-moe", "interleave_moe_layer_step"},
	} {
		if n := f.ArchInt(each.name, 1); f.Architecture() == each.architecture && n < 1 {
			return fmt.Errorf("damaged: the key %q is %d, and counts from 1", f.key(each.name), n)
		}
	}
	return nil
}
