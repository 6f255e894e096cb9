package llamatest

import (
	"slices"
	"strings"

	"github.com/ollama/ollama/fs/ggml"
)

// Layers of architectures that only later releases of llama.cpp know.

// sectionValues say which of a head's numbers turn with which part of a position; of text, all parts are the same.
func sectionValues(m Model, kv ggml.KV) {
	third := int32(m.head() / 6)
	kv["rope.dimension_sections"] = []int32{int32(m.head()/2) - 2*third, third, third, 0}
	kv["full_attention_interval"] = uint32(deltaInterval)
}

// deltaInterval is which layers attend: every fourth one.
const deltaInterval = 4

func qwen35(m Model, i int, block string) []*ggml.Tensor {
	s := m.Shape
	all := append(without(block+"ffn_norm.weight", m.forward(block)), fixed(block+"post_attention_norm.weight", 1, s.Width))
	if s.Experts > 0 {
		all = append(append(all, m.expert(block, "_shexp", s.Inner)...), m.vector(block+"ffn_gate_inp_shexp.weight", s.Width))
	}
	if i%deltaInterval == deltaInterval-1 {
		return append(all, m.gatedAttention(block)...)
	}
	keys, values := deltaHeads*state2, 2*deltaHeads*state2
	return append(all,
		m.matrix(block+"attn_qkv.weight", s.Width, 2*keys+values, layerGain),
		m.matrix(block+"attn_gate.weight", s.Width, values, layerGain),
		fixed(block+"ssm_conv1d.weight", 0.5, convolution, 2*keys+values),
		fixed(block+"ssm_dt.bias", 0, 2*deltaHeads),
		fixed(block+"ssm_a", -1, 2*deltaHeads),
		m.matrix(block+"ssm_alpha.weight", s.Width, 2*deltaHeads, layerGain),
		m.matrix(block+"ssm_beta.weight", s.Width, 2*deltaHeads, layerGain),
		fixed(block+"ssm_norm.weight", 1, state2),
		m.matrix(block+"ssm_out.weight", values, s.Width, layerGain))
}

// patternValues have every other layer look back through a window, the first one not.
func patternValues(m Model, kv ggml.KV) {
	windows := make([]bool, m.Shape.Layers)
	for i := range windows {
		windows[i] = i%2 == 1
	}
	kv["attention.sliding_window_pattern"], kv["leading_dense_block_count"] = windows, uint32(1)
	kv["rope.freq_base_swa"] = float32(10000)
	switch m.architecture() {
	case Cohere2MoE:
		kv["logit_scale"] = float32(1)
	case MiMo2:
		kv["attention.key_length"], kv["rope.dimension_count"] = uint32(2*m.head()), uint32(m.head())
	case Step35:
		kv["rope.dimension_count"] = uint32(m.head())
	}
}

// Sizes of Gemma 4: its heads are twice as wide where there is no window, each layer has embeddings of its own, and the last half of
// the layers use the cache of an earlier one.
const layerEmbedding = 32

func gemma4Values(m Model, kv ggml.KV) {
	windows := make([]bool, m.Shape.Layers)
	for i := range windows {
		windows[i] = i%2 == 0
	}
	kv["attention.sliding_window_pattern"] = windows
	for name, n := range map[string]int{
		"attention.key_length": 2 * m.head(), "attention.value_length": 2 * m.head(), "rope.dimension_count": 2 * m.head(),
		"attention.key_length_swa": m.head(), "attention.value_length_swa": m.head(), "rope.dimension_count_swa": m.head(),
		"attention.shared_kv_layers": m.Shape.Layers / 2, "embedding_length_per_layer_input": layerEmbedding,
	} {
		kv[name] = uint32(n)
	}
}

func gemma4(m Model, i int, block string) []*ggml.Tensor {
	s, head := m.Shape, m.head()
	if i%2 == 1 {
		head *= 2
	}
	all := append(m.forward(block),
		fixed(block+"post_attention_norm.weight", 1, s.Width), fixed(block+"post_ffw_norm.weight", 1, s.Width),
		fixed(block+"post_norm.weight", 1, s.Width), fixed(block+"layer_output_scale.weight", 1, 1),
		m.matrix(block+"inp_gate.weight", s.Width, layerEmbedding, layerGain),
		m.matrix(block+"proj.weight", layerEmbedding, s.Width, layerGain),
		fixed(block+"attn_q_norm.weight", attentionGain, head),
		m.matrix(block+"attn_q.weight", s.Width, s.Heads*head, attentionGain),
		m.matrix(block+"attn_output.weight", s.Heads*head, s.Width, layerGain))
	if i < s.Layers-s.Layers/2 {
		all = append(all, fixed(block+"attn_k_norm.weight", attentionGain, head),
			m.matrix(block+"attn_k.weight", s.Width, s.KVHeads*head, attentionGain),
			m.matrix(block+"attn_v.weight", s.Width, s.KVHeads*head, layerGain))
	}
	if i > 0 {
		return all
	}
	return append(all, fixed("rope_freqs.weight", 1, m.head()),
		m.matrix("per_layer_token_embd.weight", layerEmbedding*s.Layers, m.Vocabulary.Size(), tiedGain),
		m.matrix("per_layer_model_proj.weight", s.Width, layerEmbedding*s.Layers, layerGain),
		fixed("per_layer_proj_norm.weight", 1, layerEmbedding))
}

// Sizes of the index that says which tokens attention looks at.
const (
	indexHeads = 4
	indexWidth = 64 // of a head
	indexTop   = 64 // tokens, or blocks of them
)

func indexValues(_ Model, kv ggml.KV) {
	kv["attention.indexer.head_count"], kv["attention.indexer.key_length"] = uint32(indexHeads), uint32(indexWidth)
	kv["attention.indexer.top_k"] = uint32(indexTop)
}

func deepSeek32(m Model, i int, block string) []*ggml.Tensor {
	return append(deepSeek2(m, i, block),
		fixed(block+"indexer.k_norm.weight", 1, indexWidth), fixed(block+"indexer.k_norm.bias", 0, indexWidth),
		m.matrix(block+"indexer.proj.weight", m.Shape.Width, indexHeads, layerGain),
		m.matrix(block+"indexer.attn_k.weight", m.Shape.Width, indexWidth, layerGain),
		m.matrix(block+"indexer.attn_q_b.weight", latent, indexHeads*indexWidth, layerGain))
}

func blockIndexValues(m Model, kv ggml.KV) {
	indexValues(m, kv)
	kv["attention.indexer.top_k"], kv["attention.indexer.head_count"] = uint32(4), uint32(m.Shape.KVHeads)
	kv["attention.indexer.block_size"], kv["attention.indexer.local_blocks"] = uint32(16), uint32(1)
	kv["leading_dense_block_count"] = uint32(1)
}

func miniMaxM3(m Model, i int, block string) []*ggml.Tensor {
	s := m.Shape
	all := slices.Concat(m.attention(block), m.headNorms(block), m.mixed(i, block, "_shexp"))
	if i == 0 {
		return all
	}
	return append(all,
		m.matrix(block+"indexer.q_proj.weight", s.Width, s.KVHeads*indexWidth, layerGain),
		m.matrix(block+"indexer.k_proj.weight", s.Width, indexWidth, layerGain),
		fixed(block+"indexer.q_norm.weight", 1, indexWidth), fixed(block+"indexer.k_norm.weight", 1, indexWidth))
}

// mixed is a first layer that is dense, and mixtures with a shared expert and a bias of each expert.
func (m Model) mixed(i int, block, shared string) []*ggml.Tensor {
	if i == 0 {
		return append(m.expert(block, "", m.Shape.Inner), fixed(block+"ffn_norm.weight", 1, m.Shape.Width))
	}
	all := append(m.mixture(block), m.vector(block+"exp_probs_b.bias", m.Shape.Experts))
	if shared != "" {
		all = append(all, m.expert(block, shared, m.Shape.Inner)...)
	}
	return all
}

func step35(m Model, i int, block string) []*ggml.Tensor {
	return slices.Concat(m.attention(block), m.headNorms(block), m.mixed(i, block, "_shexp"), []*ggml.Tensor{
		m.matrix(block+"attn_gate.weight", m.Shape.Width, m.Shape.Heads, layerGain),
	})
}

func mimo2(m Model, i int, block string) []*ggml.Tensor {
	s := m.Shape
	return append(slices.Concat(m.attentionOf(2*m.head(), m.head(), block), m.mixed(i, block, "")), m.vector(block+"attn_sinks.weight", s.Heads))
}

func exaoneMoE(m Model, i int, block string) []*ggml.Tensor {
	return slices.Concat(m.attention(block), m.headNorms(block), m.mixed(i, block, "_shexp"))
}

func cohere2MoE(m Model, i int, block string) []*ggml.Tensor {
	all := append(m.attention(block), m.mixed(i, block, "_shexp")...)
	return without(block+"exp_probs_b.bias", without(block+"ffn_norm.weight", all))
}

// kimiValues have every other layer attend, the first one not.
func kimiValues(m Model, kv ggml.KV) {
	heads := make([]uint32, m.Shape.Layers)
	for i := range heads {
		heads[i] = uint32(i % 2)
	}
	kv["attention.head_count_kv"] = heads
	delete(kv, "attention.q_lora_rank")
	kv["ssm.conv_kernel"], kv["kda.head_dim"] = uint32(convolution), uint32(state2)
}

func kimiLinear(m Model, i int, block string) []*ggml.Tensor {
	s := m.Shape
	if i%2 == 1 {
		short := func(t *ggml.Tensor) bool { return strings.HasPrefix(t.Name, block+"attn_q_") }
		all := slices.DeleteFunc(deepSeek2(m, i, block), short)
		return append(all, m.matrix(block+"attn_q.weight", s.Width, s.Heads*(unturned+rotated), attentionGain))
	}
	inner := s.Heads * state2
	all := m.mixed(i, block, "_shexp")
	for _, name := range []string{"q", "k", "v"} {
		all = append(all, m.matrix(block+"attn_"+name+".weight", s.Width, inner, layerGain),
			fixed(block+"ssm_conv1d_"+name+".weight", 0.5, convolution, 1, inner, 1))
	}
	return append(all,
		m.matrix(block+"ssm_f_a.weight", s.Width, state2, layerGain),
		m.matrix(block+"ssm_f_b.weight", state2, inner, layerGain),
		m.matrix(block+"ssm_g_a.weight", s.Width, state2, layerGain),
		m.matrix(block+"ssm_g_b.weight", state2, inner, layerGain),
		m.matrix(block+"ssm_beta.weight", s.Width, s.Heads, layerGain),
		fixed(block+"ssm_a", -1, 1, s.Heads, 1, 1),
		fixed(block+"ssm_dt.bias", 0, inner),
		fixed(block+"ssm_norm.weight", 1, state2),
		m.matrix(block+"attn_output.weight", inner, s.Width, layerGain))
}
