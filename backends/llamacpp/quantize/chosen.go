package quantize

import (
	"strings"

	"proctor/backends/gguf"
)

// chosen is the type of a tensor whose rows every type can hold.
func (r *rules) chosen(t gguf.Tensor) string {
	has := func(part string) bool { return strings.Contains(t.Name, part) }
	switch {
	case t.Name == "output.weight" || r.tied && t.Name == "token_embd.weight":
		return r.output(t)
	case r.is("MXFP4_MOE"):
		return pick(len(t.Shape) > 2 && t.Shape[2] > 1, "MXFP4", "Q8_0")
	case t.Name == "token_embd.weight" || t.Name == "per_layer_token_embd.weight":
		return r.embeddings()
	case r.tiny():
		return r.small(t)
	case has("attn_v.weight"):
		to := r.valueType()
		r.value++
		return to
	case has("attn_k.weight"):
		return r.keys()
	case has("attn_q.weight"):
		return r.queries(r.base)
	case has("ffn_down"):
		to := r.downwards(r.layer(t, r.down))
		r.down++
		return to
	case has("attn_output.weight"):
		return r.attention()
	case has("attn_qkv.weight"):
		switch {
		case r.is("Q3_K_M", "Q3_K_L", "IQ3_M"):
			return "Q4_K"
		case r.is("Q4_K_M"):
			return "Q5_K"
		case r.is("Q5_K_M"):
			return "Q6_K"
		}
	case has("ffn_gate"):
		to := r.between(r.layer(t, r.gate))
		r.gate++
		return to
	case has("ffn_up"):
		to := r.between(r.layer(t, r.up))
		r.up++
		return to
	}
	return r.base
}

// layer is the layer that a feed-forward tensor counts as.
func (r *rules) layer(t gguf.Tensor, met int) int {
	if r.experts > 1 {
		return layerOf(t.Name)
	}
	return met
}

func (r *rules) output(t gguf.Tensor) string {
	switch {
	case r.is("MXFP4_MOE"), r.architecture == "falcon", !fits(t, r.base):
		return "Q8_0"
	case r.tiny(), r.is("IQ3_XXS"):
		return "Q5_K"
	case r.base != "Q8_0":
		return "Q6_K"
	}
	return r.base
}

func (r *rules) embeddings() string {
	switch {
	case r.is("IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ1_M"):
		return "Q2_K"
	case r.is("IQ2_S", "IQ2_M", "IQ3_XXS"):
		return "IQ3_S"
	case r.is("TQ1_0", "TQ2_0"):
		return "Q4_K"
	}
	return r.base
}

// small is for the types of two bits or fewer.
func (r *rules) small(t gguf.Tensor) string {
	larger := r.is("IQ2_S", "IQ2_M")
	switch {
	case strings.Contains(t.Name, "attn_v.weight"):
		if r.grouped >= 4 || r.experts >= 4 {
			return "Q4_K"
		}
		return pick(larger, "IQ3_S", "Q2_K")
	case r.experts == 8 && strings.Contains(t.Name, "attn_k.weight"):
		return "Q4_K"
	case strings.Contains(t.Name, "ffn_down"):
		r.down++
		if r.down-1 < r.layers/8 {
			return pick(larger, "IQ3_S", "Q2_K")
		}
	case strings.Contains(t.Name, "attn_output.weight"):
		switch {
		case r.experts == 8:
			return "Q5_K"
		case r.is("IQ1_S", "IQ1_M"):
			return "IQ2_XXS"
		case larger:
			return "IQ3_S"
		}
	}
	return r.base
}

func (r *rules) valueType() string {
	to, many := r.base, r.grouped >= 4
	switch {
	case r.is("Q2_K"):
		to = pick(many, "Q4_K", "Q3_K")
	case r.is("Q2_K_S") && many:
		to = "Q4_K"
	case r.is("IQ3_XXS"):
		to = pick(many, "Q4_K", pick(r.imatrix, "IQ3_XXS", "IQ3_S"))
	case r.is("IQ3_XS", "IQ3_S") && many, r.is("IQ3_M"):
		to = "Q4_K"
	case r.is("Q3_K_M"):
		to = pick(r.value < 2, "Q5_K", "Q4_K")
	case r.is("Q3_K_L"), r.is("IQ4_NL", "IQ4_XS") && many:
		to = "Q5_K"
	case r.is("Q4_K_M", "Q5_K_M") && favoured(r.value, r.values):
		to = "Q6_K"
	case r.is("Q4_K_S") && r.value < 4:
		to = "Q5_K"
	}
	if r.size70B && (to == "Q3_K" || to == "Q4_K") {
		to = "Q5_K"
	}
	return pick(r.experts == 8, "Q8_0", to)
}

func (r *rules) keys() string { return pick(r.experts == 8, "Q8_0", r.queries(r.base)) }

func (r *rules) queries(to string) string {
	return pick(r.is("IQ3_XS"), "IQ3_XXS", pick(r.is("IQ3_XXS"), "IQ2_S", to))
}

func (r *rules) downwards(layer int) string {
	early, falcon, more := layer < r.layers/8, r.architecture == "falcon", favoured(layer, r.layers)
	switch {
	case r.is("Q2_K"):
		return "Q3_K"
	case r.is("Q2_K_S"):
		return pick(early, "Q4_K", r.base)
	case r.is("IQ3_XXS") && !r.imatrix:
		return pick(early, "Q4_K", "Q3_K")
	case r.is("Q3_K_M"):
		return pick(layer < r.layers/16, "Q5_K", pick(!falcon || more, "Q4_K", "Q3_K"))
	case r.is("IQ3_M") && (early || r.experts == 8 && more):
		return "Q4_K"
	case r.is("Q3_K_L"):
		return pick(falcon, "Q4_K", "Q5_K")
	case r.is("Q4_K_M") && falcon:
		return pick(layer < r.layers/16, "Q6_K", pick(more, "Q5_K", "Q4_K"))
	case r.is("Q4_K_M", "Q5_K_M") && more:
		return "Q6_K"
	case early && r.is("IQ4_NL", "IQ4_XS") && !r.imatrix, early && r.is("Q4_K_S") && !falcon:
		return "Q5_K"
	case early && r.is("Q4_0", "Q5_0") && r.imatrix:
		return pick(r.is("Q4_0"), "Q4_1", "Q5_1")
	}
	return r.base
}

func (r *rules) attention() string {
	switch {
	case r.architecture == "falcon":
		return pick(r.is("Q3_K_L"), "Q4_K", r.base)
	case r.experts == 8:
		five := r.is("Q2_K", "IQ3_XS", "IQ3_XXS", "Q3_K_S", "Q3_K_M", "IQ4_NL", "Q4_K_S", "Q4_K_M", "IQ3_S", "IQ3_M", "IQ4_XS")
		return pick(five, "Q5_K", r.base)
	case r.is("Q2_K"):
		return "Q3_K"
	case r.is("IQ3_XXS"):
		return "IQ3_S"
	case r.is("Q3_K_M", "IQ3_M"):
		return "Q4_K"
	case r.is("Q3_K_L"):
		return "Q5_K"
	}
	return r.base
}

// between is for the feed-forward matrices before the last.
func (r *rules) between(layer int) string {
	return pick(r.is("IQ3_XS") && layer >= r.layers/8 && layer < 7*r.layers/8, "IQ3_XXS", r.base)
}
