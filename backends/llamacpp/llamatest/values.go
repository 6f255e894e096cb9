package llamatest

import (
	"maps"

	"github.com/ollama/ollama/fs/ggml"
)

// Sizes of what architectures have beside heads and feed-forward layers.
const (
	convolution      = 4  // tokens that Mamba's, and a delta net's, looks at
	shortConvolution = 3  // and LFM2's
	stateSize        = 16 // of Mamba's first models
	state2           = 64 // of Mamba 2's and delta nets
	stateWidth       = 64 // of a head of Mamba 2
	deltaHeads       = 2  // keys of a delta net; it has twice as many values
	deltaInterval    = 4  // of a delta net's layers, one that attends

	// DeepSeek 2's attention: the vectors that queries, and keys and values, are made of, and a head's parts.
	latent   = 256
	rotated  = 32 // of a key's numbers, the same ones in all heads
	unturned = 64 // the others

	// The index that says which tokens attention looks at.
	indexHeads = 4
	indexWidth = 64 // of a head
	indexTop   = 64 // tokens, or blocks of them

	layerEmbedding = 32 // of each layer of Gemma 4

	// RWKV's. What mixes a token with the one before it is made of short vectors, here of no whole number of blocks.
	rwkvHead = 64
	rwkvRank = 40

	slidingWindow = 64 // tokens that a layer with a window looks back
	sigmoid       = 2  // llama.cpp's number for how experts are weighed where an architecture leaves it open
)

// sizes are those of layer i, as tensors.txt names them.
func (m Model) sizes(i int) map[string]int {
	s, layerHead := m.Shape, m.head()
	if i%2 == 1 { // of Gemma 4: without a window
		layerHead *= 2
	}
	return map[string]int{
		"width": s.Width, "heads": s.Heads, "kv_heads": s.KVHeads, "head": m.head(), "inner": s.Inner, "experts": s.Experts,
		"layers": s.Layers, "context": s.Context, "vocabulary": m.Vocabulary.Size(),
		"convolution": convolution, "short_convolution": shortConvolution, "state": stateSize, "step_rank": m.stepRank(),
		"state2": state2, "state_heads": 2 * s.Width / stateWidth, "delta_heads": deltaHeads,
		"latent": latent, "rotated": rotated, "unturned": unturned, "index_heads": indexHeads, "index_width": indexWidth,
		"layer_head": layerHead, "layer_embedding": layerEmbedding,
		"rwkv_head": rwkvHead, "rwkv_heads": s.Width / rwkvHead, "rwkv_rank": rwkvRank,
	}
}

// head is how wide a head is.
func (m Model) head() int { return m.Shape.Width / m.Shape.Heads }

// stepRank is how many values a token's time steps are made of: a sixteenth of its own, as in Mamba's models, and at the least a
// block of those that are quantised.
func (m Model) stepRank() int { return max(32, m.Shape.Width/16) }

// values change the file's keys to what an architecture has there.
type values func(m Model, kv ggml.KV)

func numbers(kv ggml.KV, all map[string]int) {
	for name, n := range all {
		kv[name] = uint32(n)
	}
}

// alternate has a value for each layer, in turns.
func alternate[T any](m Model, turns ...T) []T {
	all := make([]T, m.Shape.Layers)
	for i := range all {
		all[i] = turns[i%len(turns)]
	}
	return all
}

func (m Model) values() ggml.KV {
	s := m.Shape
	kv := ggml.KV{
		"general.architecture": string(m.architecture()), "general.name": m.Name, "attention.layer_norm_rms_epsilon": float32(1e-5),
	}
	numbers(kv, map[string]int{
		"general.file_type": 1, // F16
		"vocab_size":        m.Vocabulary.Size(), "context_length": s.Context, "embedding_length": s.Width, "block_count": s.Layers,
	})
	if !m.family().states {
		kv["rope.freq_base"] = float32(10000)
		numbers(kv, map[string]int{
			"feed_forward_length": s.Inner, "attention.head_count": s.Heads, "attention.head_count_kv": s.KVHeads,
			"rope.dimension_count": m.head(),
		})
	}
	if s.Experts > 0 && !m.family().states {
		numbers(kv, map[string]int{"expert_count": s.Experts, "expert_used_count": s.Active})
	}
	maps.Copy(kv, m.Vocabulary.values)
	for _, change := range m.family().values {
		change(m, kv)
	}
	maps.Copy(kv, m.Values)
	return kv
}

func expertValues(m Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"expert_feed_forward_length": m.Shape.Inner, "expert_shared_feed_forward_length": m.Shape.Inner,
		"expert_shared_count": 1, "expert_gating_func": sigmoid,
	})
	kv["expert_weights_scale"] = float32(1)
}

func windowValues(m Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"attention.sliding_window": slidingWindow, "attention.key_length": m.head(), "attention.value_length": m.head(),
	})
	if m.architecture() == Gemma2 {
		kv["attn_logit_softcapping"], kv["final_logit_softcapping"] = float32(50), float32(30)
	}
}

// patterned are the values of mixtures where every other layer looks back through a window, the first one not.
var patterned = []values{windowValues, patternValues, expertValues}

func patternValues(m Model, kv ggml.KV) {
	kv["attention.sliding_window_pattern"], kv["leading_dense_block_count"] = alternate(m, false, true), uint32(1)
	kv["rope.freq_base_swa"] = float32(10000)
	switch m.architecture() {
	case Cohere2MoE:
		kv["logit_scale"] = float32(1)
	case MiMo2:
		kv["attention.key_length"] = uint32(2 * m.head())
	}
}

// gemma4Values have heads twice as wide where there is no window, embeddings of each layer's own, and a last half of the layers that
// use the cache of an earlier one.
func gemma4Values(m Model, kv ggml.KV) {
	kv["attention.sliding_window_pattern"] = alternate(m, true, false)
	numbers(kv, map[string]int{
		"attention.key_length": 2 * m.head(), "attention.value_length": 2 * m.head(), "rope.dimension_count": 2 * m.head(),
		"attention.key_length_swa": m.head(), "attention.value_length_swa": m.head(), "rope.dimension_count_swa": m.head(),
		"attention.shared_kv_layers": m.Shape.Layers / 2, "embedding_length_per_layer_input": layerEmbedding,
	})
}

// gemma3nValues say how many layers use the cache of an earlier one; llama.cpp has its own idea of the first of them.
func gemma3nValues(m Model, kv ggml.KV) {
	kv["attention.shared_kv_layers"] = uint32(max(m.Shape.Layers-20, 0))
}

// stateLayers has every other layer attend, the first one not.
func stateLayers(m Model, kv ggml.KV) {
	kv["attention.head_count_kv"] = alternate(m, 0, uint32(m.Shape.KVHeads))
}

func normValues(_ Model, kv ggml.KV) { kv["attention.layer_norm_epsilon"] = float32(1e-5) }

// temperatureValues have attention grow sharper after the context that Mistral 3 was first trained for.
func temperatureValues(m Model, kv ggml.KV) {
	kv["attention.temperature_scale"] = float32(0.1)
	kv["rope.scaling.original_context_length"], kv["attention.temperature_length"] = uint32(m.Shape.Context/4), uint32(m.Shape.Context/4)
}

func latentValues(_ Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"attention.q_lora_rank": latent, "attention.kv_lora_rank": latent, "leading_dense_block_count": 1,
		"attention.key_length": latent + rotated, "attention.value_length": latent, "attention.head_count_kv": 1,
		"attention.key_length_mla": unturned + rotated, "attention.value_length_mla": unturned, "rope.dimension_count": rotated,
	})
}

// kimiValues have every other layer attend, the first one not.
func kimiValues(m Model, kv ggml.KV) {
	kv["attention.head_count_kv"] = alternate[uint32](m, 0, 1)
	delete(kv, "attention.q_lora_rank")
	kv["ssm.conv_kernel"], kv["kda.head_dim"] = uint32(convolution), uint32(state2)
}

func indexValues(_ Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"attention.indexer.head_count": indexHeads, "attention.indexer.key_length": indexWidth, "attention.indexer.top_k": indexTop,
	})
}

func blockIndexValues(m Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"attention.indexer.key_length": indexWidth, "attention.indexer.top_k": 4, "attention.indexer.head_count": m.Shape.KVHeads,
		"attention.indexer.block_size": 16, "attention.indexer.local_blocks": 1, "leading_dense_block_count": 1,
	})
}

// sectionValues say which of a head's numbers turn with which part of a position; of text, all parts are the same.
func sectionValues(m Model, kv ggml.KV) {
	third := int32(m.head() / 6)
	kv["rope.dimension_sections"] = []int32{int32(m.head()/2) - 2*third, third, third, 0}
	kv["full_attention_interval"] = uint32(deltaInterval)
}

func mambaValues(m Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"ssm.conv_kernel": convolution, "ssm.inner_size": 2 * m.Shape.Width, "ssm.state_size": stateSize, "ssm.time_step_rank": m.stepRank(),
	})
}

func mamba2Values(m Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"ssm.conv_kernel": convolution, "ssm.inner_size": 2 * m.Shape.Width, "ssm.group_count": 1, "ssm.state_size": state2,
		"ssm.time_step_rank": 2 * m.Shape.Width / stateWidth,
	})
}

func deltaValues(_ Model, kv ggml.KV) {
	numbers(kv, map[string]int{
		"ssm.conv_kernel": convolution, "ssm.inner_size": 2 * deltaHeads * state2, "ssm.group_count": deltaHeads, "ssm.state_size": state2,
		"ssm.time_step_rank": 2 * deltaHeads,
	})
}

// nemotronLayers repeats a state, a feed-forward layer and attention.
func nemotronLayers(m Model, kv ggml.KV) {
	kv["attention.head_count_kv"] = alternate(m, 0, 0, uint32(m.Shape.KVHeads))
	kv["feed_forward_length"] = alternate(m, 0, uint32(m.Shape.Inner), 0)
	kv["expert_feed_forward_length"] = uint32(m.Shape.Inner) // else llama.cpp divides by the number of experts
}

func shortValues(_ Model, kv ggml.KV) {
	kv["shortconv.l_cache"], kv["leading_dense_block_count"] = uint32(shortConvolution), uint32(1)
}

func rwkvValues(m Model, kv ggml.KV) {
	normValues(m, kv)
	numbers(kv, map[string]int{
		"attention.head_count": 0, "feed_forward_length": m.Shape.Inner, "wkv.head_size": rwkvHead, "token_shift_count": 2,
		"time_mix_extra_dim": rwkvRank, "time_decay_extra_dim": rwkvRank,
		"attention.decay_lora_rank": rwkvRank, "attention.iclr_lora_rank": rwkvRank,
		"attention.value_residual_mix_lora_rank": rwkvRank, "attention.gate_lora_rank": rwkvRank,
	})
}
