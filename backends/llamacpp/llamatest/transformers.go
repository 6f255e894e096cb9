package llamatest

import (
	"math"
	"slices"

	"github.com/ollama/ollama/fs/ggml"
)

func llama(m Model, _ int, block string) []*ggml.Tensor {
	return slices.Concat(m.attention(block), m.forward(block))
}

func qwen3(m Model, _ int, block string) []*ggml.Tensor {
	return slices.Concat(m.attention(block), m.headNorms(block), m.forward(block))
}

func gemma(m Model, _ int, block string) []*ggml.Tensor {
	all := slices.Concat(m.attention(block), m.forward(block), []*ggml.Tensor{
		fixed(block+"post_attention_norm.weight", 1, m.Shape.Width), fixed(block+"post_ffw_norm.weight", 1, m.Shape.Width),
	})
	if m.architecture() == Gemma3 {
		all = append(all, m.headNorms(block)...)
	}
	return all
}

func phi3(m Model, _ int, block string) []*ggml.Tensor {
	width, inner := m.Shape.Width, m.Shape.Inner
	return []*ggml.Tensor{
		m.matrix(block+"attn_qkv.weight", width, width+2*m.shared(), attentionGain),
		m.matrix(block+"attn_output.weight", width, width, layerGain),
		fixed(block+"ffn_norm.weight", 1, width),
		m.matrix(block+"ffn_up.weight", width, 2*inner, layerGain),
		m.matrix(block+"ffn_down.weight", inner, width, layerGain),
	}
}

func normValues(_ Model, kv ggml.KV) { kv["attention.layer_norm_epsilon"] = float32(1e-5) }

// gpt2 has the positions and what the last norm adds come with the first layer.
func gpt2(m Model, i int, block string) []*ggml.Tensor {
	width, inner := m.Shape.Width, m.Shape.Inner
	all := []*ggml.Tensor{
		fixed(block+"attn_norm.bias", 0, width),
		m.matrix(block+"attn_qkv.weight", width, width+2*m.shared(), attentionGain), m.vector(block+"attn_qkv.bias", width+2*m.shared()),
		m.matrix(block+"attn_output.weight", width, width, layerGain), m.vector(block+"attn_output.bias", width),
		fixed(block+"ffn_norm.weight", 1, width), fixed(block+"ffn_norm.bias", 0, width),
		m.matrix(block+"ffn_up.weight", width, inner, layerGain), m.vector(block+"ffn_up.bias", inner),
		m.matrix(block+"ffn_down.weight", inner, width, layerGain), m.vector(block+"ffn_down.bias", width),
	}
	if i == 0 {
		all = append(all, m.matrix("position_embd.weight", width, m.Shape.Context, embeddingGain*math.Sqrt(float64(width))),
			fixed("output_norm.bias", 0, width))
	}
	return all
}

// temperatureValues have attention grow sharper after the context that Mistral 3 was first trained for.
func temperatureValues(m Model, kv ggml.KV) {
	kv["attention.temperature_scale"] = float32(0.1)
	kv["rope.scaling.original_context_length"], kv["attention.temperature_length"] = uint32(m.Shape.Context/4), uint32(m.Shape.Context/4)
}

// gptOSS has biases everywhere; the norm before the experts has the name of another one.
func gptOSS(m Model, _ int, block string) []*ggml.Tensor {
	s, shared := m.Shape, m.shared()
	return slices.Concat(m.attention(block), without(block+"ffn_norm.weight", m.mixture(block)), []*ggml.Tensor{
		fixed(block+"post_attention_norm.weight", 1, s.Width),
		m.vector(block+"attn_sinks.weight", s.Heads),
		m.vector(block+"attn_q.bias", s.Width), m.vector(block+"attn_k.bias", shared), m.vector(block+"attn_v.bias", shared),
		m.vector(block+"attn_output.bias", s.Width),
		m.vector(block+"ffn_gate_inp.bias", s.Experts),
		m.vector(block+"ffn_gate_exps.bias", s.Inner, s.Experts), m.vector(block+"ffn_up_exps.bias", s.Inner, s.Experts),
		m.vector(block+"ffn_down_exps.bias", s.Width, s.Experts),
	})
}

// Sizes of DeepSeek 2's attention: of the vectors that queries, and keys and values, are made of, and of a head's parts.
const (
	latent   = 256
	rotated  = 32 // of a key's numbers, the same ones in all heads
	unturned = 64 // the others
)

func latentValues(m Model, kv ggml.KV) {
	for name, n := range map[string]int{
		"attention.q_lora_rank": latent, "attention.kv_lora_rank": latent, "leading_dense_block_count": 1,
		"attention.key_length": latent + rotated, "attention.value_length": latent, "attention.head_count_kv": 1,
		"attention.key_length_mla": unturned + rotated, "attention.value_length_mla": unturned, "rope.dimension_count": rotated,
	} {
		kv[name] = uint32(n)
	}
}

func deepSeek2(m Model, i int, block string) []*ggml.Tensor {
	s := m.Shape
	all := []*ggml.Tensor{
		m.matrix(block+"attn_q_a.weight", s.Width, latent, layerGain),
		fixed(block+"attn_q_a_norm.weight", 1, latent),
		m.matrix(block+"attn_q_b.weight", latent, s.Heads*(unturned+rotated), attentionGain),
		m.matrix(block+"attn_kv_a_mqa.weight", s.Width, latent+rotated, attentionGain),
		fixed(block+"attn_kv_a_norm.weight", 1, latent),
		m.matrices(block+"attn_k_b.weight", unturned, latent, s.Heads),
		m.matrices(block+"attn_v_b.weight", latent, unturned, s.Heads),
		m.matrix(block+"attn_output.weight", s.Heads*unturned, s.Width, layerGain),
	}
	if i == 0 {
		return append(append(all, m.expert(block, "", s.Inner)...), fixed(block+"ffn_norm.weight", 1, s.Width))
	}
	return slices.Concat(all, m.mixture(block), m.expert(block, "_shexp", s.Inner), []*ggml.Tensor{
		m.vector(block+"exp_probs_b.bias", s.Experts),
	})
}
