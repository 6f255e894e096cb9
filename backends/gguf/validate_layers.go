package gguf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// wholeHeads are the architectures whose heads llama.cpp rotates as a whole; it accepts nothing else.
var wholeHeads = []string{
	"apertus", "arcee", "arctic", "baichuan", "chameleon", "codeshell", "cogvlm", "dbrx", "deci", "deepseek", "dots1", "dream",
	"ernie4_5", "ernie4_5-moe", "exaone", "exaone4", "falcon", "gpt-oss", "granite", "granitemoe", "grok", "grovemoe", "hunyuan-dense",
	"hunyuan-moe", "internlm2", "llada", "llada-moe", "llama", "llama4", "minicpm", "mistral3", "olmo", "olmo2", "olmoe", "orion",
	"pangu-embedded", "plamo", "qwen2", "qwen2moe", "qwen2vl", "qwen3", "qwen3moe", "qwen3vl", "qwen3vlmoe", "rnd1", "seed_oss",
	"smallthinker", "smollm3", "solar", "starcoder2", "xverse",
}

// ownWidths are the architectures whose keys and values may differ in width.
var ownWidths = []string{"deepseek2", "minicpm3", "plm"}

// checkHeads looks at how wide attention is.
func (f *File) checkHeads() error {
	heads := f.Ints(f.key("attention.head_count"))
	switch {
	case f.headless() && (len(heads) == 0 || heads[0] == 0):
		return nil
	case len(heads) == 0 && len(f.Tensors) == 0: // a vocabulary alone
		return nil
	case len(heads) == 0:
		return fmt.Errorf("damaged: the key %q says no number of heads", f.key("attention.head_count"))
	}
	for _, n := range heads {
		if n < 0 || n > math.MaxInt32 || n == 0 && len(heads) == 1 {
			return fmt.Errorf("damaged: the key %q is %d", f.key("attention.head_count"), n)
		}
	}
	whole := f.ArchInt("embedding_length", 0) / max(heads[0], 1)
	keys, values := f.ArchInt("attention.key_length", whole), f.ArchInt("attention.value_length", whole)
	turned := f.ArchInt("rope.dimension_count", keys)
	switch own := slices.Contains(ownWidths, f.Architecture()); {
	case keys < 1 || keys > math.MaxInt32:
		return f.damaged("attention.key_length", keys, "with %d heads", heads[0])
	case values < 1 || values > math.MaxInt32:
		return f.damaged("attention.value_length", values, "with %d heads", heads[0])
	case !own && heads[0] > 0 && keys != values:
		return f.damaged("attention.value_length", values, "and values are as wide as keys, %d", keys)
	case heads[0] > 0 && (turned < 0 || turned > keys || turned%2 != 0):
		return f.damaged("rope.dimension_count", turned, "not an even number up to the width of a head, %d", keys)
	case heads[0] > 0 && turned != keys && slices.Contains(wholeHeads, f.Architecture()):
		return f.damaged("rope.dimension_count", turned, "and %s turns whole heads, which are %d wide", f.Architecture(), keys)
	}
	return cmp.Or(f.checkLatent(heads[0], keys, values, turned), f.checkCached(keys, values))
}

// checkCached looks at what makes the keys and values that a layer's cache has room for.
func (f *File) checkCached(keys, values int64) error {
	for _, t := range f.Tensors {
		var layer int
		var name string
		if n, _ := fmt.Sscanf(t.Name, "blk.%d.attn_%s", &layer, &name); n < 2 || layer < 0 || len(t.Shape) != 2 {
			continue
		}
		width, made := map[string]int64{"k.weight": keys, "v.weight": values}[name]
		heads := f.LayerInt("attention.head_count_kv", layer, f.LayerInt("attention.head_count", layer, 0))
		if made && t.Shape[1] != heads*width {
			return fmt.Errorf("damaged: tensor %q has %d rows, and the layer has %d heads of %d, by %q and the widths of heads", t.Name,
				t.Shape[1], heads, width, f.key("attention.head_count_kv"))
		}
	}
	return nil
}

// checkLatent looks at attention whose keys and values come from one latent vector: DeepSeek-V2's. Either the cache has that, as
// one head, or what is made of it, for each head.
func (f *File) checkLatent(heads, keys, values, turned int64) error {
	if f.Architecture() != "deepseek2" {
		return nil
	}
	shared := f.LayerInt("attention.head_count_kv", 0, heads)
	latent := f.ArchInt("attention.kv_lora_rank", 0)
	wantKeys, wantValues := heads*keys, heads*values
	if f.ArchInt("attention.key_length_mla", 0) != 0 && f.ArchInt("attention.value_length_mla", 0) != 0 {
		wantKeys, wantValues = latent+turned, latent
	}
	for _, each := range []struct {
		name      string
		has, want int64
	}{{"attention.key_length", keys, wantKeys}, {"attention.value_length", values, wantValues}} {
		if shared*each.has != each.want {
			return f.damaged(each.name, each.has, "times %d of %q, and they make %d together", shared, f.key("attention.head_count_kv"), each.want)
		}
	}
	return nil
}

// headless says whether the architecture is one without attention.
func (f *File) headless() bool {
	name := f.Architecture()
	return strings.HasPrefix(name, "mamba") || strings.HasPrefix(name, "rwkv") || strings.HasPrefix(name, "arwkv")
}

// doubled are the architectures whose state llama.cpp knows only twice as wide as the model.
var doubled = []string{"mamba", "mamba2", "jamba", "granitehybrid"}

// checkState looks at the state of layers without attention.
func (f *File) checkState() error {
	inner, width := f.ArchInt("ssm.inner_size", 0), f.ArchInt("embedding_length", 0)
	if slices.Contains(doubled, f.Architecture()) && inner != 2*width {
		return fmt.Errorf("the key %q is %d, llama.cpp knows only twice the width of %d", f.key("ssm.inner_size"), inner, width)
	}
	if f.Architecture() != "qwen3next" {
		return nil
	}
	heads, size, groups := f.ArchInt("ssm.time_step_rank", 0), f.ArchInt("ssm.state_size", 0), f.ArchInt("ssm.group_count", 0)
	switch {
	case groups < 1 || heads < 1 || heads%groups != 0:
		return f.damaged("ssm.group_count", groups, "of %d heads in %q", heads, f.key("ssm.time_step_rank"))
	case inner != heads*size:
		return f.damaged("ssm.inner_size", inner, "of %d heads with a state of %d", heads, size)
	}
	return nil
}

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
		return f.damaged("expert_count", all, "llama.cpp has at most %d experts", mostExperts)
	case all == 0 && slices.Contains(expertsNeeded, f.Architecture()):
		return fmt.Errorf("damaged: the key %q is 0, and %s has experts", f.key("expert_count"), f.Architecture())
	case used < 0 || used > all || all > 0 && used == 0:
		return f.damaged("expert_used_count", used, "of %d experts", all)
	case groups < 0 || groups > 0 && groups >= all || groups > 1 && all%groups != 0:
		return f.damaged("expert_group_count", groups, "of %d experts", all)
	case groups > 1 && (usedGroups < 1 || usedGroups >= groups):
		return f.damaged("expert_group_used_count", usedGroups, "of %d groups", groups)
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
		return f.damaged("expert_gating_func", gating, "llama.cpp knows 1 to %d", gatingFunctions)
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
