package llamatest

import (
	"slices"

	"github.com/ollama/ollama/fs/ggml"
)

// Sizes of RWKV's. What mixes a token with the one before it is made of short vectors, here of no whole number of blocks.
const (
	rwkvHead = 64
	rwkvRank = 40
)

func rwkvValues(m Model, kv ggml.KV) {
	normValues(m, kv)
	for name, n := range map[string]int{
		"attention.head_count": 0, "feed_forward_length": m.Shape.Inner, "wkv.head_size": rwkvHead, "token_shift_count": 2,
		"time_mix_extra_dim": rwkvRank, "time_decay_extra_dim": rwkvRank,
		"attention.decay_lora_rank": rwkvRank, "attention.iclr_lora_rank": rwkvRank,
		"attention.value_residual_mix_lora_rank": rwkvRank, "attention.gate_lora_rank": rwkvRank,
	} {
		kv[name] = uint32(n)
	}
}

// rwkv is what both have; the norms of the ends come with the first layer.
func (m Model) rwkv(i int, block string) []*ggml.Tensor {
	width, inner := m.Shape.Width, m.Shape.Inner
	all := []*ggml.Tensor{
		fixed(block+"attn_norm.bias", 0, width),
		fixed(block+"attn_norm_2.weight", 1, width), fixed(block+"attn_norm_2.bias", 0, width),
		m.matrix(block+"time_mix_key.weight", width, width, layerGain),
		m.matrix(block+"time_mix_value.weight", width, width, layerGain),
		m.matrix(block+"time_mix_receptance.weight", width, width, attentionGain),
		fixed(block+"time_mix_ln.weight", 1, width), fixed(block+"time_mix_ln.bias", 0, width),
		m.matrix(block+"time_mix_output.weight", width, width, layerGain),
		fixed(block+"channel_mix_lerp_k.weight", 0.5, width, 1, 1),
		m.matrix(block+"channel_mix_key.weight", width, inner, layerGain),
		m.matrix(block+"channel_mix_value.weight", inner, width, layerGain),
	}
	if i == 0 {
		for _, name := range []string{"token_embd_norm", "output_norm"} {
			all = append(all, fixed(name+".weight", 1, width), fixed(name+".bias", 0, width))
		}
		all = without("output_norm.weight", all)
	}
	return all
}

func rwkv6(m Model, i int, block string) []*ggml.Tensor {
	width := m.Shape.Width
	return append(m.rwkv(i, block),
		m.matrix(block+"time_mix_w1.weight", width, 5*rwkvRank, 1), m.matrices(block+"time_mix_w2.weight", rwkvRank, width, 5),
		fixed(block+"time_mix_lerp_x.weight", 0.5, width, 1, 1), fixed(block+"time_mix_lerp_fused.weight", 0.5, width, 1, 1, 5),
		m.vector(block+"time_mix_first.weight", rwkvHead, width/rwkvHead),
		fixed(block+"time_mix_decay.weight", -1, width),
		m.matrix(block+"time_mix_decay_w1.weight", width, rwkvRank, 1), m.matrix(block+"time_mix_decay_w2.weight", rwkvRank, width, 1),
		m.matrix(block+"time_mix_gate.weight", width, width, layerGain),
		fixed(block+"channel_mix_lerp_r.weight", 0.5, width, 1, 1),
		m.matrix(block+"channel_mix_receptance.weight", width, width, 1))
}

func rwkv7(m Model, i int, block string) []*ggml.Tensor {
	width := m.Shape.Width
	all := append(m.rwkv(i, block),
		fixed(block+"time_mix_lerp_fused.weight", 0.5, width, 1, 1, 6),
		fixed(block+"time_mix_k_k.weight", 1, width), fixed(block+"time_mix_k_a.weight", 1, width),
		m.vector(block+"time_mix_r_k.weight", width))
	for _, name := range []string{"w", "a", "v", "g"} {
		name = block + "time_mix_" + name
		all = slices.Concat(all, []*ggml.Tensor{
			m.vector(name+"0.weight", width),
			m.matrix(name+"1.weight", width, rwkvRank, 1), m.matrix(name+"2.weight", rwkvRank, width, 1),
		})
	}
	return without(block+"time_mix_g0.weight", all)
}
