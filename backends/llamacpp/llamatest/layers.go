package llamatest

import (
	"slices"

	"github.com/ollama/ollama/fs/ggml"
)

// What layers of several architectures are made of.

// head is how wide a head is.
func (m Model) head() int { return m.Shape.Width / m.Shape.Heads }

// shared is how wide the keys and the values of all heads are.
func (m Model) shared() int { return m.head() * m.Shape.KVHeads }

func (m Model) attention(block string) []*ggml.Tensor {
	return m.attentionOf(m.head(), m.head(), block)
}

// attentionOf has heads with keys and values of other widths.
func (m Model) attentionOf(keys, values int, block string) []*ggml.Tensor {
	s := m.Shape
	return []*ggml.Tensor{
		m.matrix(block+"attn_q.weight", s.Width, s.Heads*keys, attentionGain),
		m.matrix(block+"attn_k.weight", s.Width, s.KVHeads*keys, attentionGain),
		m.matrix(block+"attn_v.weight", s.Width, s.KVHeads*values, layerGain),
		m.matrix(block+"attn_output.weight", s.Heads*values, s.Width, layerGain),
	}
}

// gatedAttention is that of Qwen's later models: half of the queries are gates.
func (m Model) gatedAttention(block string) []*ggml.Tensor {
	all := append(without(block+"attn_q.weight", m.attention(block)), m.headNorms(block)...)
	return append(all, m.matrix(block+"attn_q.weight", m.Shape.Width, 2*m.Shape.Width, attentionGain))
}

// headNorms are those of queries and keys.
func (m Model) headNorms(block string) []*ggml.Tensor {
	return []*ggml.Tensor{
		fixed(block+"attn_q_norm.weight", attentionGain, m.head()), fixed(block+"attn_k_norm.weight", attentionGain, m.head()),
	}
}

// forward is dense, or a mixture where the model has experts.
func (m Model) forward(block string) []*ggml.Tensor {
	if m.Shape.Experts > 0 {
		return m.mixture(block)
	}
	return append(m.expert(block, "", m.Shape.Inner), fixed(block+"ffn_norm.weight", 1, m.Shape.Width))
}

// expert is a feed-forward layer, which many tokens or some are given to.
func (m Model) expert(block, kind string, inner int) []*ggml.Tensor {
	width := m.Shape.Width
	return []*ggml.Tensor{
		m.matrix(block+"ffn_gate"+kind+".weight", width, inner, layerGain),
		m.matrix(block+"ffn_up"+kind+".weight", width, inner, layerGain),
		m.matrix(block+"ffn_down"+kind+".weight", inner, width, layerGain),
	}
}

func (m Model) mixture(block string) []*ggml.Tensor {
	s := m.Shape
	return []*ggml.Tensor{
		fixed(block+"ffn_norm.weight", 1, s.Width),
		m.exact(block+"ffn_gate_inp.weight", s.Width, s.Experts, layerGain),
		m.matrices(block+"ffn_gate_exps.weight", s.Width, s.Inner, s.Experts),
		m.matrices(block+"ffn_up_exps.weight", s.Width, s.Inner, s.Experts),
		m.matrices(block+"ffn_down_exps.weight", s.Inner, s.Width, s.Experts),
	}
}

func expertValues(m Model, kv ggml.KV) {
	kv["expert_feed_forward_length"] = uint32(m.Shape.Inner)
	kv["expert_shared_feed_forward_length"] = uint32(m.Shape.Inner)
	kv["expert_shared_count"], kv["expert_weights_scale"], kv["expert_gating_func"] = uint32(1), float32(1), uint32(sigmoid)
}

// sigmoid is how experts are weighed where an architecture leaves it open: llama.cpp's number for it.
const sigmoid = 2

// slidingWindow is how many tokens a layer with a window looks back.
const slidingWindow = 64

func windowValues(m Model, kv ggml.KV) {
	kv["attention.sliding_window"] = uint32(slidingWindow)
	kv["attention.key_length"], kv["attention.value_length"] = uint32(m.head()), uint32(m.head())
	if m.architecture() == Gemma2 {
		kv["attn_logit_softcapping"], kv["final_logit_softcapping"] = float32(50), float32(30)
	}
}

// stateLayers has every other layer attend, the first one not.
func stateLayers(m Model, kv ggml.KV) {
	heads := make([]uint32, m.Shape.Layers)
	for i := range heads {
		if i%2 == 1 {
			heads[i] = uint32(m.Shape.KVHeads)
		}
	}
	kv["attention.head_count_kv"] = heads
}

// without drops the tensors of a name.
func without(name string, all []*ggml.Tensor) []*ggml.Tensor {
	return slices.DeleteFunc(all, func(t *ggml.Tensor) bool { return t.Name == name })
}
