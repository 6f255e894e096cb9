package gguf

import (
	"math"
	"slices"
	"testing"
)

// sound is small with the keys of a model that llama.cpp computes.
func sound() header {
	h := small()
	h.pairs = slices.DeleteFunc(h.pairs, func(p pair) bool { return p.key == "llama.attention.head_count_kv" })
	h.pairs = append(h.pairs,
		pair{"llama.block_count", typeUint32, uint32(1)},
		pair{"llama.embedding_length", typeUint32, uint32(256)},
		pair{"llama.attention.head_count", typeUint32, uint32(4)},
		pair{"llama.attention.layer_norm_rms_epsilon", typeFloat32, float32(1e-5)},
		text("tokenizer.ggml.model", "llama"),
		pair{"tokenizer.ggml.scores", typeArray, numbers(typeFloat32, 0, 0, 0)},
		pair{"tokenizer.ggml.token_type", typeArray, numbers(typeInt32, 1, 1, 1)},
		pair{"tokenizer.ggml.merges", typeArray, words("a b")})
	return h
}

// set gives a key a value, in the place of the one that it has.
func (h *header) set(p pair) {
	h.pairs = append(slices.DeleteFunc(h.pairs, func(q pair) bool { return q.key == p.key }), p)
}

func TestWhatLlamaCppDoesNotSurviveIsRefused(t *testing.T) {
	number := func(key string, n uint32) func(*header) {
		return func(h *header) { h.set(pair{"llama." + key, typeUint32, n}) }
	}
	list := func(key string, value []byte) func(*header) {
		return func(h *header) { h.set(pair{key, typeArray, value}) }
	}
	fraction := func(key string, n float64) func(*header) {
		return func(h *header) { h.set(pair{"llama." + key, typeFloat32, float32(n)}) }
	}
	many := func(changes ...func(*header)) func(*header) {
		return func(h *header) {
			for _, change := range changes {
				change(h)
			}
		}
	}
	tensor := func(name string, kind uint32) func(*header) {
		return func(h *header) {
			h.tensors = append(h.tensors, testTensor{name, []uint64{32, 1}, kind, uint64(h.data+31) / 32 * 32})
			h.data = (h.data+31)/32*32 + 1024
		}
	}
	keys := func(kind string, rows uint64) func(*header) {
		return func(h *header) {
			h.tensors = append(h.tensors, testTensor{"blk.0.attn_" + kind + ".weight", []uint64{1, rows}, 0, uint64(h.data+31) / 32 * 32})
			h.data = (h.data+31)/32*32 + 2048
		}
	}
	for _, test := range []struct {
		name   string
		change func(*header)
		want   string // "": it is sound
	}{
		{"nothing", func(*header) {}, ""},
		{"no layers", number("block_count", 0), `the key "llama.block_count" is 0`},
		{"more layers than there can be", number("block_count", 513), `"llama.block_count" is 513`},
		{"a width of 0", number("embedding_length", 0), `"llama.embedding_length" is 0`},
		{"a context that is below zero as llama.cpp reads it", number("context_length", 1<<31), `"llama.context_length" is 2147483648`},
		{"no heads", number("attention.head_count", 0), `"llama.attention.head_count" is 0`},
		{"no heads where there is no attention", many(number("attention.head_count", 0), func(h *header) {
			h.set(text("general.architecture", "mamba"))
			h.set(pair{"mamba.attention.head_count", typeUint32, uint32(0)})
			h.set(pair{"mamba.embedding_length", typeUint32, uint32(8)})
			h.set(pair{"mamba.ssm.inner_size", typeUint32, uint32(16)})
		}), ""},
		{"a state that llama.cpp does not know", func(h *header) {
			h.set(text("general.architecture", "mamba"))
			h.set(pair{"mamba.embedding_length", typeUint32, uint32(8)})
			h.set(pair{"mamba.ssm.inner_size", typeUint32, uint32(24)})
		}, `"mamba.ssm.inner_size" is 24, llama.cpp knows only twice the width of 8`},
		{"no number of heads", func(h *header) {
			h.pairs = slices.DeleteFunc(h.pairs, func(p pair) bool { return p.key == "llama.attention.head_count" })
		}, `"llama.attention.head_count" says no number of heads`},
		{"heads that are texts", list("llama.attention.head_count", words("4")), `attention.head_count" is not a list of 32-bit integers`},
		{"widths that are texts", list("llama.feed_forward_length", words("a")), `feed_forward_length" is not a list of 32-bit integers`},
		{"widths for each layer", list("llama.feed_forward_length", numbers(typeUint32, 7)), ""},
		{"labels that are numbers", list("llama.classifier.output_labels", numbers(typeFloat32, 7)), "output_labels\" is not a list of texts"},
		{"fractions that are integers", list("xielu.beta", numbers(typeUint32, 7)), `"xielu.beta" is not a list of 32-bit floats`},
		{"keys for other heads", many(number("attention.head_count_kv", 2), keys("k", 64)),
			`"blk.0.attn_k.weight" has 64 rows, and the layer has 2 heads of 64, by "llama.attention.head_count_kv"`},
		{"values for other heads", keys("v", 300), `"blk.0.attn_v.weight" has 300 rows, and the layer has 4 heads of 64`},
		{"keys of no layer", func(h *header) {
			keys("k", 64)(h)
			h.tensors[len(h.tensors)-1].name = "blk.-1.attn_k.weight"
		}, ""},
		{"keys for the layer's heads", many(list("llama.attention.head_count_kv", numbers(typeUint32, 2)), keys("k", 128)), ""},
		{"keys without a width", number("attention.key_length", 0), `"llama.attention.key_length" is 0`},
		{"values without a width", number("attention.value_length", 0), `"llama.attention.value_length" is 0`},
		{"more turned than a head is wide", number("rope.dimension_count", 66), `"llama.rope.dimension_count" is 66`},
		{"an odd number turned", number("rope.dimension_count", 33), `"llama.rope.dimension_count" is 33, not an even number`},
		{
			"an unknown way to scale positions",
			func(h *header) { h.set(text("llama.rope.scaling.type", "spiral")) }, `"spiral", llama.cpp knows`,
		},
		{"a known one", func(h *header) { h.set(text("llama.rope.scaling.type", "yarn")) }, ""},
		{"a norm of NaN", fraction("attention.layer_norm_rms_epsilon", math.NaN()), "layer_norm_rms_epsilon\" is NaN"},
		{"a norm below zero", fraction("attention.layer_norm_rms_epsilon", -1), "below 0"},
		{"a scale without end", fraction("attention.scale", math.Inf(1)), `"llama.attention.scale" is +Inf`},
		{"experts", many(number("expert_count", 8), number("expert_used_count", 2), number("expert_gating_func", 3)), ""},
		{"more experts than llama.cpp has", number("expert_count", 513), `"llama.expert_count" is 513`},
		{"more experts used than there are", many(number("expert_count", 8), number("expert_used_count", 9)), "is 9, of 8 experts"},
		{"no experts used", number("expert_count", 8), `"llama.expert_used_count" is 0, of 8 experts`},
		{"experts used where there are none", number("expert_used_count", 2), "is 2, of 0 experts"},
		{"groups that experts cannot be split into", many(number("expert_count", 8), number("expert_used_count", 2),
			number("expert_group_count", 3)), `"llama.expert_group_count" is 3, of 8 experts`},
		{"more groups used than there are", many(number("expert_count", 8), number("expert_used_count", 2),
			number("expert_group_count", 2), number("expert_group_used_count", 2)), "is 2, of 2 groups"},
		{"an unknown way to weigh experts", number("expert_gating_func", 4), `"llama.expert_gating_func" is 4`},
		{"no tokens", list(tokensKey, words()), "holds no tokens"},
		{"a token twice", list(tokensKey, words("a", "b", "a")), "holds a token twice"},
		{"empty tokens, which llama.cpp names", list(tokensKey, words("a", "", "")), ""},
		{"tokens that are numbers", list(tokensKey, numbers(typeUint32, 1, 2, 3)), `"tokenizer.ggml.tokens" is not a list of texts`},
		{"tokens that are one text", func(h *header) { h.set(text(tokensKey, "abc")) }, "is not a list of texts"},
		{"fewer scores than tokens", list("tokenizer.ggml.scores", numbers(typeFloat32, 0, 0)), "has 2 elements, there are 3 tokens"},
		{"scores of another type", list("tokenizer.ggml.scores", numbers(typeUint32, 0, 0, 0)), "not a list of 32-bit floats"},
		{"more kinds than tokens", list("tokenizer.ggml.token_type", numbers(typeInt32, 1, 1, 1, 1)), "has 4 elements, there are 3 tokens"},
		{"kinds that are texts", list("tokenizer.ggml.token_type", words("a", "b", "c")), "not a list of 32-bit integers"},
		{"merges that are numbers", list("tokenizer.ggml.merges", numbers(typeUint32, 1)), `"tokenizer.ggml.merges" is not a list of texts`},
		{"RWKV's tokens, the bytes among them", many(list(tokensKey, words("a", `\x00`, `\n`, "ab", `\x00\n`, `\nb`)), rwkv), ""},
		{"RWKV's tokens without a byte", many(list(tokensKey, words("a", `\nb`)), rwkv), "lacks tokens of single bytes"},
		{"words, and tokens of bytes", many(bert, list(kindsKey, numbers(typeInt32, 1, 6, 1))), `token_type" has tokens of single bytes`},
		{"words, and none of bytes", many(bert, list(kindsKey, numbers(typeInt32, 1, 3, 1))), ""},
		{"tokens of bytes", list(kindsKey, numbers(typeInt32, 1, 6, 1)), ""},
		{"no vocabulary", many(list(tokensKey, words()), func(h *header) { h.set(text("tokenizer.ggml.model", "no_vocab")) }), ""},
		{"a tensor of what is in between", tensor("blk.0.ffn_gate.weight", 9), `"blk.0.ffn_gate.weight" has the type Q8_1`},
		{"a tensor of integers", tensor("blk.0.ffn_gate.weight", 25), "has the type I16, which llama.cpp does not compute with"},
		{"a norm of halves", tensor("blk.0.attn_q_norm.weight", 1), "has the type F16, llama.cpp computes with such as F32 alone"},
		{"a bias that is quantised", tensor("blk.0.ffn_gate.bias", 8), "has the type Q8_0, llama.cpp computes with such"},
		{"a matrix of halves", tensor("blk.0.ffn_gate.weight", 1), ""},
		{"a convolution without its bias", many(tensor("blk.0.ssm_conv1d.weight", 0), falcon), `tensor "blk.0.ssm_conv1d.bias" is missing`},
		{"a convolution with it", many(tensor("blk.0.ssm_conv1d.weight", 0), tensor("blk.0.ssm_conv1d.bias", 0), falcon), ""},
		{"a table of tokens in three dimensions", func(h *header) {
			h.tensors = append(h.tensors, testTensor{"per_layer_token_embd.weight", []uint64{4, 4, 2}, 0, uint64(h.data+31) / 32 * 32})
			h.data = (h.data+31)/32*32 + 1024
		}, `tensor "per_layer_token_embd.weight" has the shape [4 4 2], and is a table`},
		{"data that cannot be mapped", func(h *header) {
			h.set(pair{"general.alignment", typeUint32, uint32(1)})
			h.set(text("general.name", "a name of 17 byte"))
		}, `the data of tensor "token_embd.weight" begin at byte`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := sound()
			test.change(&h)
			f, err := read(h.bytes())
			if err != nil {
				t.Fatal(err)
			}
			if err = f.Validate(); test.want == "" {
				if err != nil {
					t.Errorf("a sound file is refused: %v", err)
				}
				return
			}
			mustRefuse(t, err, test.want)
			mustRefuse(t, err, "x.gguf: ")
			mustRefuse(t, err, ": download it again, or convert it anew")
		})
	}
}

func falcon(h *header) {
	h.set(text("general.architecture", "falcon-h1"))
	h.set(pair{"falcon-h1.attention.head_count", typeUint32, uint32(4)})
	h.set(pair{"falcon-h1.embedding_length", typeUint32, uint32(256)})
}

func bert(h *header) { h.set(text("tokenizer.ggml.model", "bert")) }

// rwkv has the vocabulary be one of RWKV's.
func rwkv(h *header) {
	h.set(text("tokenizer.ggml.model", "rwkv"))
	h.pairs = slices.DeleteFunc(h.pairs, func(p pair) bool {
		return p.key == "tokenizer.ggml.scores" || p.key == "tokenizer.ggml.token_type"
	})
}
