package gguf

import (
	"math"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
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

func TestADamagedHeaderIsRefused(t *testing.T) {
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
	for _, test := range []struct {
		name   string
		change func(*header)
		want   string // "": it is sound
	}{
		{"nothing", func(*header) {}, ""},
		{"a name of more lines", func(h *header) { h.set(text("general.architecture", "qwen3\r\x1b[2J")) }, "names are ASCII without blanks"},
		{"no layers", number("block_count", 0), `the key "llama.block_count" is 0`},
		{"more layers than there can be", number("block_count", 513), `"llama.block_count" is 513`},
		{"a width of 0", number("embedding_length", 0), `"llama.embedding_length" is 0`},
		{"a context that is below zero as llama.cpp reads it", number("context_length", 1<<31), `"llama.context_length" is 2147483648`},
		{"heads that are texts", list("llama.attention.head_count", words("4")), `attention.head_count" is not a list of 32-bit integers`},
		{"widths that are texts", list("llama.feed_forward_length", words("a")), `feed_forward_length" is not a list of 32-bit integers`},
		{"widths for each layer", list("llama.feed_forward_length", numbers(typeUint32, 7)), ""},
		{"labels that are numbers", list("llama.classifier.output_labels", numbers(typeFloat32, 7)), "output_labels\" is not a list of texts"},
		{"fractions that are integers", list("xielu.beta", numbers(typeUint32, 7)), `"xielu.beta" is not a list of 32-bit floats`},
		{"a norm of NaN", fraction("attention.layer_norm_rms_epsilon", math.NaN()), "layer_norm_rms_epsilon\" is NaN"},
		{"a norm below zero", fraction("attention.layer_norm_rms_epsilon", -1), "below 0"},
		{"rotations by powers of 0", fraction("rope.freq_base", 0),
			`"llama.rope.freq_base" is 0, and positions turn by powers`},
		{"rotations by powers of -1", fraction("rope.freq_base_swa", -1), `"llama.rope.freq_base_swa" is -1`},
		{"rotations by powers of less than 1", fraction("rope.freq_base", 0.5), ""},
		{"a scale without end", fraction("attention.scale", math.Inf(1)), `"llama.attention.scale" is +Inf`},
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
	} {
		t.Run(test.name, func(t *testing.T) {
			h := sound()
			test.change(&h)
			f, err := read(h.bytes())
			assert.NilError(t, err)
			if err = f.Validate(); test.want == "" {
				assert.Check(t, err == nil, "a sound file is refused: %v", err)
				return
			}
			mustRefuse(t, err, test.want)
			mustRefuse(t, err, "x.gguf: ")
			mustRefuse(t, err, ": download it again, or convert it anew")
		})
	}
}

func bert(h *header) { h.set(text("tokenizer.ggml.model", "bert")) }

// rwkv has the vocabulary be one of RWKV's.
func rwkv(h *header) {
	h.set(text("tokenizer.ggml.model", "rwkv"))
	h.pairs = slices.DeleteFunc(h.pairs, func(p pair) bool {
		return p.key == "tokenizer.ggml.scores" || p.key == "tokenizer.ggml.token_type"
	})
}
