package quantize

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/gguf"
)

// rules say which type each tensor of a model gets: llama_model_quantize_impl and llama_tensor_get_type of llama-quant.cpp. They count
// what they have met, so that each tensor is asked for once, in order.
type rules struct {
	kind
	imatrix      bool
	architecture string
	layers       int
	experts      int64
	grouped      int64 // query heads for each key/value head
	size70B      bool  // what llama.cpp calls a 70B
	tensors      []gguf.Tensor
	tied         bool // the output is the token embeddings
	values       int  // attention's value tensors, all and met
	value        int
	down, gate   int // feed-forward tensors met
	up           int
}

func newRules(model *gguf.File, k kind, imatrix bool) *rules {
	r := &rules{
		kind: k, imatrix: imatrix, architecture: model.Architecture(), layers: int(model.ArchInt("block_count", 0)),
		experts: model.ArchInt("expert_count", 0), tensors: inOrder(model.Tensors), tied: true,
	}
	heads := model.LayerInt("attention.head_count", 0, 0)
	shared := model.LayerInt("attention.head_count_kv", 0, heads)
	if shared > 0 {
		r.grouped = heads / shared
	}
	r.size70B = r.layers == 80 && (r.architecture == "llama" && heads != shared || r.architecture == "deci" || r.architecture == "qwen2")
	for _, t := range r.tensors {
		switch {
		case contains(t.Name, "attn_v.weight", "attn_qkv.weight", "attn_kv_b.weight"):
			r.values++
		case t.Name == "output.weight":
			r.tied = false
		}
	}
	return r
}

func contains(name string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
}

// kept are parts of names of small matrices that stay what they are.
var kept = []string{
	"_norm.weight", "ffn_gate_inp.weight", "altup", "laurel", "per_layer_model_proj", "ssm_conv1d", "shortconv.conv.weight",
	"time_mix_first.weight", "time_mix_w0.weight", "time_mix_w1.weight", "time_mix_w2.weight", "time_mix_v0.weight",
	"time_mix_v1.weight", "time_mix_v2.weight", "time_mix_a0.weight", "time_mix_a1.weight", "time_mix_a2.weight", "time_mix_g1.weight",
	"time_mix_g2.weight", "time_mix_decay_w1.weight", "time_mix_decay_w2.weight", "time_mix_lerp_fused.weight", "attn_rel_b.weight",
	".position_embd.",
}

// typeOf returns ggml's name of the type that a tensor gets.
func (r *rules) typeOf(t gguf.Tensor) (string, error) {
	whole := t.Name == "position_embd.weight" || t.Name == "token_types.weight" || contains(t.Name, kept...)
	if !strings.HasSuffix(t.Name, "weight") || dimensions(t) < 2 || whole {
		return t.Type.String(), nil
	}
	if elements, _, _ := gguf.Layout(r.base); elements == 1 {
		return r.base, nil
	}
	to := r.chosen(t)
	if fits(t, to) {
		return to, nil
	}
	to, known := fallbacks[to]
	switch {
	case !known:
		return "", fmt.Errorf("its tensor %s has rows of %d elements, which %s cannot hold: choose another type",
			t.Name, t.Shape[0], r.name)
	case !fits(t, to):
		return "F16", nil
	}
	return to, nil
}

// dimensions are those of more than one element, and all before the last of them.
func dimensions(t gguf.Tensor) int {
	for n := len(t.Shape); n > 1; n-- {
		if t.Shape[n-1] > 1 {
			return n
		}
	}
	return 1
}

func fits(t gguf.Tensor, name string) bool {
	elements, _, _ := gguf.Layout(name)
	return t.Shape[0]%elements == 0
}

// fallbacks are for rows that a type cannot hold.
var fallbacks = map[string]string{
	"TQ1_0": "Q4_0", "TQ2_0": "Q4_0", "IQ2_XXS": "IQ4_NL", "IQ2_XS": "IQ4_NL", "IQ2_S": "IQ4_NL", "IQ3_XXS": "IQ4_NL", "IQ3_S": "IQ4_NL",
	"IQ1_S": "IQ4_NL", "IQ1_M": "IQ4_NL", "Q2_K": "IQ4_NL", "Q3_K": "IQ4_NL", "IQ4_XS": "IQ4_NL", "Q4_K": "Q5_0", "Q5_K": "Q5_1",
	"Q6_K": "Q8_0",
}

// needsImatrix says whether llama.cpp refuses to write a tensor as that type without an importance matrix.
func (r *rules) needsImatrix(tensor, to string) bool {
	switch to {
	case "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ1_S":
		return true
	case "IQ1_M":
		return tensor != "token_embd.weight" && tensor != "output.weight"
	}
	return to == "Q2_K" && r.name == "Q2_K_S" && tensor != "token_embd.weight"
}

// is says whether the model becomes one of these.
func (r *rules) is(names ...string) bool { return slices.Contains(names, r.name) }

// tiny says whether it becomes one that has two bits or fewer.
func (r *rules) tiny() bool { return r.is("IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ2_S", "IQ2_M", "IQ1_M") }

// pick returns yes where it holds, else no.
func pick(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
}

// favoured says whether a layer is among those that get more bits: the first and the last eighth, and each third between.
func favoured(layer, layers int) bool {
	return layer < layers/8 || layer >= 7*layers/8 || (layer-layers/8)%3 == 2
}
