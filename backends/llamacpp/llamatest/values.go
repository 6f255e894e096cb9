package llamatest

import (
	"fmt"
	"maps"
	"strings"

	"github.com/ollama/ollama/fs/ggml"
)

// sizes are those of layer i, as architectures.yaml and tensors.txt name them.
func (m Model) sizes(i int) map[string]int {
	s := m.Shape
	head, layerHead := s.Width/s.Heads, s.Width/s.Heads
	if i%2 == 1 { // of Gemma 4: without a window
		layerHead *= 2
	}
	return map[string]int{
		"width": s.Width, "heads": s.Heads, "kv_heads": s.KVHeads, "head": head, "inner": s.Inner,
		"experts": s.Experts, "active": s.Active, "context": s.Context, "quarter_context": s.Context / 4,
		"layers": s.Layers, "half_layers": s.Layers / 2, "layers_after_20": max(s.Layers-20, 0), "vocabulary": m.Vocabulary.Size(),

		"convolution": 4, "short_convolution": 3, // tokens that Mamba's, and a delta net's, looks at, and LFM2's
		// Of Mamba's first models, a sixteenth of a token's values make its time steps, and at the least a block of those that are quantised.
		"state": 16, "step_rank": max(32, s.Width/16),
		"state2": 64, "state_heads": 2 * s.Width / 64, // of Mamba 2, 64 wide; delta nets have such a state too
		"delta_heads": 2, // keys of a delta net; it has twice as many values
		// DeepSeek 2's attention: the vectors that queries, and keys and values, are made of, and a head's parts: of a key's numbers those
		// that are turned, the same ones in all heads, and the others.
		"latent": 256, "rotated": 32, "unturned": 64,
		"index_heads": 4, "index_width": 64, // the index that says which tokens attention looks at
		"layer_head": layerHead, "layer_embedding": 32, // of each layer of Gemma 4
		// RWKV's. What mixes a token with the one before it is made of short vectors, here of no whole number of blocks.
		"rwkv_head": 64, "rwkv_heads": s.Width / 64, "rwkv_rank": 40,
	}
}

// values are the keys of the file.
func (m Model) values() ggml.KV {
	f, sizes := m.family(), m.sizes(0)
	groups := "model "
	if !f.States {
		groups += "attention "
	}
	if m.Shape.Experts > 0 && !f.States {
		groups += "experts "
	}
	kv := ggml.KV{"general.architecture": string(m.architecture()), "general.name": m.Name}
	for group := range strings.FieldsSeq(groups + f.Keys) {
		if keys[group] == nil {
			panic("llamatest: architectures.yaml has no keys " + group)
		}
		for key, value := range keys[group] {
			kv[key] = m.value(value, sizes)
		}
	}
	if f.Sections { // which of a head's numbers turn with which part of a position; of text, all parts are the same
		half, third := int32(sizes["head"]/2), int32(sizes["head"]/6)
		kv["rope.dimension_sections"] = []int32{half - 2*third, third, third, 0}
	}
	maps.Copy(kv, m.Vocabulary.values)
	maps.Copy(kv, m.Values)
	return kv
}

// value is one of architectures.yaml as GGUF has it.
func (m Model) value(described any, sizes map[string]int) any {
	switch v := described.(type) {
	case float64:
		return float32(v)
	case []any:
		if _, is := v[0].(bool); is {
			return inTurns(m, v, func(one any) bool { return one.(bool) })
		}
		return inTurns(m, v, func(one any) uint32 { return m.value(one, sizes).(uint32) })
	}
	return uint32(computed(fmt.Sprint(described), sizes))
}

// inTurns has a value for each layer.
func inTurns[T any](m Model, turns []any, value func(any) T) []T {
	all := make([]T, m.Shape.Layers)
	for i := range all {
		all[i] = value(turns[i%len(turns)])
	}
	return all
}
