package llamatest

import (
	"cmp"
	"fmt"
	"maps"
	"math"

	"github.com/ollama/ollama/fs/ggml"
)

// Architecture is what a model is built like. Apart from llamas there are some whose memory differs.
type Architecture string

const (
	Llama  Architecture = "llama"
	Gemma2 Architecture = "gemma2" // every other layer looks back through a sliding window only
	Mamba  Architecture = "mamba"  // a state instead of attention
	Jamba  Architecture = "jamba"  // a state in every other layer
)

// slidingWindow is how many tokens a layer of Gemma2 looks back.
const slidingWindow = 64

func (m Model) architecture() Architecture { return cmp.Or(m.Architecture, Llama) }

func (m Model) values() ggml.KV {
	s := m.Shape
	kv := ggml.KV{
		"general.architecture":             string(m.architecture()),
		"general.name":                     m.Name,
		"general.file_type":                uint32(1), // F16
		"vocab_size":                       uint32(m.Vocabulary.Size()),
		"context_length":                   uint32(s.Context),
		"embedding_length":                 uint32(s.Width),
		"block_count":                      uint32(s.Layers),
		"attention.layer_norm_rms_epsilon": float32(1e-5),
	}
	maps.Copy(kv, m.Vocabulary.values)
	maps.Copy(kv, m.Values)
	if m.architecture() == Mamba || m.architecture() == Jamba {
		maps.Copy(kv, ggml.KV{
			"ssm.conv_kernel": uint32(convolution), "ssm.inner_size": uint32(2 * s.Width),
			"ssm.state_size": uint32(stateSize), "ssm.time_step_rank": uint32(s.Width / 16),
		})
	}
	if m.architecture() == Mamba {
		return kv
	}
	maps.Copy(kv, ggml.KV{
		"feed_forward_length":     uint32(s.Inner),
		"attention.head_count":    uint32(s.Heads),
		"attention.head_count_kv": uint32(s.KVHeads),
		"rope.dimension_count":    uint32(s.Width / s.Heads),
		"rope.freq_base":          float32(10000),
	})
	if s.Experts > 0 {
		maps.Copy(kv, ggml.KV{"expert_count": uint32(s.Experts), "expert_used_count": uint32(s.Active)})
	}
	if m.architecture() == Jamba {
		heads := make([]uint32, s.Layers)
		for i := range heads {
			if !m.hasState(i) {
				heads[i] = uint32(s.KVHeads)
			}
		}
		kv["attention.head_count_kv"] = heads
	}
	if m.architecture() == Gemma2 {
		maps.Copy(kv, ggml.KV{
			"attention.sliding_window": uint32(slidingWindow),
			"attention.key_length":     uint32(s.Width / s.Heads), "attention.value_length": uint32(s.Width / s.Heads),
			"attn_logit_softcapping": float32(50), "final_logit_softcapping": float32(30),
		})
	}
	return kv
}

// Gains keep the text from falling into a loop: queries and keys that tell positions apart, and layers that add
// more to a token than the token itself brings along.
const (
	embeddingGain = 0.5
	attentionGain = 1.5 // queries and keys
	layerGain     = 1.5
	outputGain    = 3 // spreads the scores, so that there is a clear first choice
	// Gemma2 takes the scores from the embeddings, which it scales up on the way in by the root of its width; they
	// are small, else every token would be followed by itself.
	tiedGain = 0.1
)

func (m Model) tensors() []*ggml.Tensor {
	s := m.Shape
	embedding := embeddingGain * math.Sqrt(float64(s.Width))
	if m.architecture() == Gemma2 {
		embedding = tiedGain
	}
	all := []*ggml.Tensor{
		m.matrix("token_embd.weight", s.Width, m.Vocabulary.Size(), embedding),
		fixed("output_norm.weight", 1, s.Width),
	}
	if m.architecture() != Gemma2 {
		all = append(all, m.output())
	}
	for i := range s.Layers {
		block := fmt.Sprintf("blk.%d.", i)
		all = append(all, fixed(block+"attn_norm.weight", 1, s.Width))
		if m.hasState(i) {
			all = append(all, m.state(block)...)
		} else {
			all = append(all, m.attention(block)...)
		}
		if m.architecture() != Mamba {
			all = append(all, m.forward(block)...)
		}
	}
	return all
}

// hasState says whether a layer has a state instead of attention.
func (m Model) hasState(layer int) bool {
	return m.architecture() == Mamba || m.architecture() == Jamba && layer%2 == 0
}

func (m Model) attention(block string) []*ggml.Tensor {
	s := m.Shape
	shared := s.Width / s.Heads * s.KVHeads
	all := []*ggml.Tensor{
		m.matrix(block+"attn_q.weight", s.Width, s.Width, attentionGain),
		m.matrix(block+"attn_k.weight", s.Width, shared, attentionGain),
		m.matrix(block+"attn_v.weight", s.Width, shared, layerGain),
		m.matrix(block+"attn_output.weight", s.Width, s.Width, layerGain),
	}
	if m.architecture() == Gemma2 {
		all = append(all, fixed(block+"post_attention_norm.weight", 1, s.Width))
	}
	return all
}

func (m Model) forward(block string) []*ggml.Tensor {
	s := m.Shape
	if s.Experts > 0 {
		return []*ggml.Tensor{
			fixed(block+"ffn_norm.weight", 1, s.Width),
			m.exact(block+"ffn_gate_inp.weight", s.Width, s.Experts, layerGain),
			m.matrices(block+"ffn_gate_exps.weight", s.Width, s.Inner, s.Experts),
			m.matrices(block+"ffn_up_exps.weight", s.Width, s.Inner, s.Experts),
			m.matrices(block+"ffn_down_exps.weight", s.Inner, s.Width, s.Experts),
		}
	}
	all := []*ggml.Tensor{
		fixed(block+"ffn_norm.weight", 1, s.Width),
		m.matrix(block+"ffn_gate.weight", s.Width, s.Inner, layerGain),
		m.matrix(block+"ffn_up.weight", s.Width, s.Inner, layerGain),
		m.matrix(block+"ffn_down.weight", s.Inner, s.Width, layerGain),
	}
	if m.architecture() == Gemma2 {
		all = append(all, fixed(block+"post_ffw_norm.weight", 1, s.Width))
	}
	return all
}

// Sizes of Mamba's first models.
const (
	convolution = 4
	stateSize   = 16
)

func (m Model) state(block string) []*ggml.Tensor {
	width, inner, rank := m.Shape.Width, 2*m.Shape.Width, m.Shape.Width/16
	all := []*ggml.Tensor{
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
	if m.architecture() == Jamba {
		all = append(all,
			fixed(block+"ssm_dt_norm.weight", 1, rank),
			fixed(block+"ssm_b_norm.weight", 1, stateSize), fixed(block+"ssm_c_norm.weight", 1, stateSize))
	}
	return all
}
