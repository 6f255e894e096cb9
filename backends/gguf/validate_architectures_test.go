package gguf

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// of is a sound header of another architecture, with numbers under its keys besides; those of -1 are left out.
func of(architecture string, numbers map[string]int) header {
	h := sound()
	for i := range h.pairs {
		if rest, own := strings.CutPrefix(h.pairs[i].key, "llama."); own {
			h.pairs[i].key = architecture + "." + rest
		}
	}
	h.set(text("general.architecture", architecture))
	for name, n := range numbers {
		if n >= 0 {
			h.set(pair{architecture + "." + name, typeUint32, uint32(n)})
		} else {
			h.pairs = slices.DeleteFunc(h.pairs, func(p pair) bool { return p.key == architecture+"."+name })
		}
	}
	return h
}

func TestWhatAnArchitectureTakesForGranted(t *testing.T) {
	type keys = map[string]int
	experts := func(more keys) keys {
		more["expert_count"], more["expert_used_count"] = 8, 2
		return more
	}
	latent := func(more keys) keys {
		for name, n := range (keys{
			"attention.key_length_mla": 32, "attention.value_length_mla": 24, "attention.kv_lora_rank": 40, "rope.dimension_count": 16,
			"attention.head_count_kv": 1, "attention.key_length": 56, "attention.value_length": 40,
		}) {
			if _, given := more[name]; !given {
				more[name] = n
			}
		}
		return more
	}
	delta := func(inner, groups int) keys {
		return keys{"ssm.time_step_rank": 4, "ssm.state_size": 8, "ssm.inner_size": inner, "ssm.group_count": groups}
	}
	for _, test := range []struct {
		architecture string
		numbers      keys
		want         string // "": it is sound
	}{
		{"qwen3", keys{"rope.dimension_count": 64}, ""},
		{"qwen3", keys{"rope.dimension_count": 32}, `"qwen3.rope.dimension_count" is 32, and qwen3 turns whole heads, which are 64 wide`},
		{"qwen3", keys{"rope.dimension_count": 0}, `"qwen3.rope.dimension_count" is 0, and qwen3 turns whole heads`},
		{"gpt-oss", keys{"attention.key_length": 32, "attention.value_length": 32}, ""},
		{"gpt-oss", keys{"attention.key_length": 32, "attention.value_length": 32, "rope.dimension_count": 16}, "heads, which are 32 wide"},
		{"phi2", keys{"rope.dimension_count": 32}, ""},
		{"qwen3", keys{"attention.key_length": 32}, `"qwen3.attention.value_length" is 64, and values are as wide as keys, 32`},
		{"gemma3", keys{"attention.key_length": 32, "attention.value_length": 32}, ""},
		{"minicpm3", keys{"attention.key_length": 96}, ""},
		{"deepseek2", latent(keys{}), ""},
		{"deepseek2", latent(keys{"attention.value_length": 41}), `"deepseek2.attention.value_length" is 41, times 1 of "deepseek2`},
		{"deepseek2", latent(keys{"attention.key_length": 72}), `"deepseek2.attention.key_length" is 72, times 1`},
		{"deepseek2", latent(keys{"attention.head_count_kv": 4}), `times 4 of "deepseek2.attention.head_count_kv", and they make 56`},
		{"deepseek2", keys{"attention.key_length": 96, "rope.dimension_count": 32}, ""},
		{"deepseek2", keys{"attention.key_length": 96, "attention.head_count_kv": 3}, "is 96, times 3 of"},
		{"baichuan", keys{"block_count": 40}, ""},
		{"baichuan", keys{"block_count": 33}, `"baichuan.block_count" is 33, llama.cpp knows Baichuan with 32 or 40 layers alone`},
		{"granitehybrid", keys{"ssm.inner_size": 512}, ""},
		{"granitehybrid", keys{"ssm.inner_size": 500}, `"granitehybrid.ssm.inner_size" is 500, llama.cpp knows only twice the width`},
		{"falcon-h1", keys{"ssm.inner_size": 500}, ""},
		{"qwen3next", delta(32, 2), ""},
		{"qwen3next", delta(33, 2), `"qwen3next.ssm.inner_size" is 33, of 4 heads with a state of 8`},
		{"qwen3next", delta(32, 3), `"qwen3next.ssm.group_count" is 3, of 4 heads in "qwen3next.ssm.time_step_rank"`},
		{"qwen3next", delta(32, 0), `"qwen3next.ssm.group_count" is 0`},
		{"smallthinker", experts(keys{"expert_gating_func": 1}), ""},
		{"smallthinker", experts(keys{"expert_gating_func": -1}), `"smallthinker.expert_gating_func" is 0, llama.cpp knows 1 to 3`},
		{"smallthinker", keys{"expert_gating_func": 1}, `"smallthinker.expert_count" is 0, and smallthinker has experts`},
		{"lfm2moe", experts(keys{"expert_gating_func": 0}), `"lfm2moe.expert_gating_func" is 0`},
		{"deepseek2", experts(keys{"expert_gating_func": 0}), ""},
		{"grovemoe", experts(keys{"experts_per_group": 0}), `"grovemoe.experts_per_group" is 0, and counts from 1`},
		{"ernie4_5-moe", experts(keys{"interleave_moe_layer_step": 0}), `"ernie4_5-moe.interleave_moe_layer_step" is 0`},
		{"llama4", experts(keys{"interleave_moe_layer_step": 0}), ""},
		{"qwen3\r\x1b[2J", nil, `"general.architecture" is "qwen3\r\x1b[2J", and names are ASCII without blanks`},
	} {
		t.Run(test.architecture+" "+test.want, func(t *testing.T) {
			h := of(test.architecture, test.numbers)
			f, err := read(h.bytes())
			assert.NilError(t, err)
			if err := f.Validate(); test.want != "" {
				mustRefuse(t, err, test.want)
			} else if err != nil {
				t.Errorf("a sound file is refused: %v", err)
			}
		})
	}
}

// What an architecture takes for granted, another release may take otherwise; what is damaged none survives.
func TestALaterReleaseMayReadALayerOtherwise(t *testing.T) {
	for _, test := range []struct {
		numbers          map[string]int
		sound, validates bool
	}{
		{map[string]int{}, true, true},
		{map[string]int{"attention.key_length": 32}, true, false},
		{map[string]int{"block_count": 0}, false, false},
	} {
		h := of("mimo2", test.numbers)
		f, err := read(h.bytes())
		assert.NilError(t, err)
		if sound, validates := f.Sound(), f.Validate(); (sound == nil) != test.sound || (validates == nil) != test.validates {
			t.Errorf("%v: %v; %v", test.numbers, sound, validates)
		}
	}
}
