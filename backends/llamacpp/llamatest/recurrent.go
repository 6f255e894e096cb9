package llamatest

import (
	"slices"

	"github.com/ollama/ollama/fs/ggml"
)

// Sizes of Mamba's first models, and of Mamba 2's.
const (
	convolution = 4
	stateSize   = 16

	state2     = 64
	stateWidth = 64 // of a head
)

func mambaValues(m Model, kv ggml.KV) {
	kv["ssm.conv_kernel"], kv["ssm.inner_size"] = uint32(convolution), uint32(2*m.Shape.Width)
	kv["ssm.state_size"], kv["ssm.time_step_rank"] = uint32(stateSize), uint32(m.stepRank())
}

func mamba(m Model, _ int, block string) []*ggml.Tensor {
	width, inner, rank := m.Shape.Width, 2*m.Shape.Width, m.stepRank()
	return []*ggml.Tensor{
		m.matrix(block+"ssm_in.weight", width, 2*inner, layerGain),
		fixed(block+"ssm_conv1d.weight", 0.5, convolution, inner),
		fixed(block+"ssm_conv1d.bias", 0, inner),
		m.matrix(block+"ssm_x.weight", inner, rank+2*stateSize, layerGain),
		m.matrix(block+"ssm_dt.weight", rank, inner, layerGain),
		fixed(block+"ssm_dt.bias", 0, inner),
		fixed(block+"ssm_a", -1, stateSize, inner),
		fixed(block+"ssm_d", 1, inner),
		m.matrix(block+"ssm_out.weight", inner, width, layerGain),
	}
}

func jamba(m Model, i int, block string) []*ggml.Tensor {
	if i%2 == 1 {
		return llama(m, i, block)
	}
	rank := m.stepRank()
	return slices.Concat(mamba(m, i, block), m.forward(block), []*ggml.Tensor{
		fixed(block+"ssm_dt_norm.weight", 1, rank),
		fixed(block+"ssm_b_norm.weight", 1, stateSize), fixed(block+"ssm_c_norm.weight", 1, stateSize),
	})
}

func mamba2Values(m Model, kv ggml.KV) {
	inner := 2 * m.Shape.Width
	kv["ssm.conv_kernel"], kv["ssm.inner_size"], kv["ssm.group_count"] = uint32(convolution), uint32(inner), uint32(1)
	kv["ssm.state_size"], kv["ssm.time_step_rank"] = uint32(state2), uint32(inner/stateWidth)
}

func (m Model) mamba2(block string) []*ggml.Tensor {
	width, inner := m.Shape.Width, 2*m.Shape.Width
	heads, convolved := inner/stateWidth, inner+2*state2
	return []*ggml.Tensor{
		m.matrix(block+"ssm_in.weight", width, inner+convolved+heads, layerGain),
		fixed(block+"ssm_conv1d.weight", 0.5, convolution, convolved),
		fixed(block+"ssm_conv1d.bias", 0, convolved),
		fixed(block+"ssm_dt.bias", 0, heads),
		fixed(block+"ssm_a", -1, 1, heads),
		fixed(block+"ssm_d", 1, 1, heads),
		fixed(block+"ssm_norm.weight", 1, inner, 1),
		m.matrix(block+"ssm_out.weight", inner, width, layerGain),
	}
}

func graniteHybrid(m Model, i int, block string) []*ggml.Tensor {
	if i%2 == 1 {
		return llama(m, i, block)
	}
	return slices.Concat(m.mamba2(block), m.forward(block))
}

func falconH1(m Model, i int, block string) []*ggml.Tensor {
	forward := without(block+"ffn_norm.weight", llama(m, i, block))
	return slices.Concat(m.mamba2(block), forward, []*ggml.Tensor{fixed(block+"ffn_norm", 1, m.Shape.Width)})
}

// nemotronLayers repeats a state, a feed-forward layer and attention.
func nemotronLayers(m Model, kv ggml.KV) {
	heads, inner := make([]uint32, m.Shape.Layers), make([]uint32, m.Shape.Layers)
	for i := range heads {
		switch i % 3 {
		case 1:
			inner[i] = uint32(m.Shape.Inner)
		case 2:
			heads[i] = uint32(m.Shape.KVHeads)
		}
	}
	kv["attention.head_count_kv"], kv["feed_forward_length"] = heads, inner
	kv["expert_feed_forward_length"] = uint32(m.Shape.Inner) // else llama.cpp divides by the number of experts
}

func nemotronH(m Model, i int, block string) []*ggml.Tensor {
	switch i % 3 {
	case 1:
		return without(block+"ffn_gate.weight", m.expert(block, "", m.Shape.Inner))
	case 2:
		return m.attention(block)
	}
	return m.mamba2(block)
}

// shortConvolution is how many tokens LFM2's looks at.
const shortConvolution = 3

func shortValues(m Model, kv ggml.KV) {
	kv["shortconv.l_cache"], kv["leading_dense_block_count"] = uint32(shortConvolution), uint32(1)
}

func lfm2(m Model, i int, block string) []*ggml.Tensor {
	s := m.Shape
	forward := append(m.expert(block, "", s.Inner), fixed(block+"ffn_norm.weight", 1, s.Width))
	if i > 0 {
		forward = append(m.mixture(block), m.vector(block+"exp_probs_b.bias", s.Experts))
	}
	if i%2 == 1 {
		return slices.Concat(m.attention(block), m.headNorms(block), forward)
	}
	return append(forward,
		m.exact(block+"shortconv.conv.weight", shortConvolution, s.Width, 1),
		m.matrix(block+"shortconv.in_proj.weight", s.Width, 3*s.Width, layerGain),
		m.matrix(block+"shortconv.out_proj.weight", s.Width, s.Width, layerGain))
}

// deltaHeads is how many keys a delta net has; it has twice as many values.
const deltaHeads = 2

func deltaValues(m Model, kv ggml.KV) {
	kv["ssm.conv_kernel"], kv["ssm.inner_size"], kv["ssm.group_count"] =
		uint32(convolution), uint32(2*deltaHeads*state2), uint32(deltaHeads)
	kv["ssm.state_size"], kv["ssm.time_step_rank"] = uint32(state2), uint32(2*deltaHeads)
}

func qwen3Next(m Model, i int, block string) []*ggml.Tensor {
	s := m.Shape
	all := slices.Concat(without(block+"ffn_norm.weight", m.mixture(block)), m.expert(block, "_shexp", s.Inner), []*ggml.Tensor{
		fixed(block+"post_attention_norm.weight", 1, s.Width),
		m.vector(block+"ffn_gate_inp_shexp.weight", s.Width),
	})
	if i%deltaInterval == deltaInterval-1 {
		return append(all, m.gatedAttention(block)...)
	}
	keys, values := deltaHeads*state2, 2*deltaHeads*state2
	return append(all,
		m.matrix(block+"ssm_in.weight", s.Width, 2*keys+2*values, layerGain),
		fixed(block+"ssm_conv1d.weight", 0.5, convolution, 2*keys+values),
		fixed(block+"ssm_dt.bias", 0, 2*deltaHeads),
		fixed(block+"ssm_a", -1, 2*deltaHeads),
		m.matrix(block+"ssm_ba.weight", s.Width, 4*deltaHeads, layerGain),
		fixed(block+"ssm_norm.weight", 1, state2),
		m.matrix(block+"ssm_out.weight", values, s.Width, layerGain))
}

// stepRank is how many values a token's time steps are made of: a sixteenth of its own, as in Mamba's models, and at the least a
// block of those that are quantised.
func (m Model) stepRank() int { return max(32, m.Shape.Width/16) }
