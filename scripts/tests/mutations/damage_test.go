package mutations

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"proctor/backends/gguf"
)

// A damage changes a file at random, and says where.
type damage struct {
	kind string // for the tally
	do   func(f *file, r random) (about string)
}

// damages are all kinds of damage. Each file suffers one.
var damages = slices.Concat(ofHeader, ofKeys, ofVocabulary, ofTensors, ofBytes)

type random struct{ *rand.Rand }

func pick[T any](r random, list ...T) T { return list[r.IntN(len(list))] }

// bytes are n random bytes.
func (r random) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return b
}

// size is a value for a count or a length.
func (r random) size() uint64 {
	return pick(r, 0, 1, math.MaxUint64, 1<<62, 1<<40, 1<<31, math.MaxUint32, uint64(1<<20))
}

// number is a number of a type: 0, 1, −1, huge, NaN, near a limit, or random bytes.
func (r random) number(kind uint32) []byte {
	if r.IntN(8) == 0 {
		return r.bytes(valueBytes[kind])
	}
	float := pick(r, 0, 1, -1, 1e30, -1e30, 1e-30, 1e300, math.NaN(), math.Inf(1), math.Inf(-1), 0.5)
	switch kind {
	case typeFloat32:
		return order.AppendUint32(nil, math.Float32bits(float32(float)))
	case typeFloat64:
		return order.AppendUint64(nil, math.Float64bits(float))
	}
	n := pick(r, 0, 1, -1, 2, 3, 7, 100, 1000, 65536, 1<<30, math.MaxInt32, math.MinInt32, math.MaxInt64, int64(math.MinInt64))
	return order.AppendUint64(nil, uint64(n))[:valueBytes[kind]]
}

// value is a value of any type.
func (r random) value() any {
	return pick[any](r, uint32(0), uint32(1), uint32(3), uint32(7), uint32(99), uint32(100000), uint32(1<<31), int32(-1), uint64(1)<<40,
		float32(0), float32(-1), float32(1e30), math.NaN(), true, false, "", "1", "x", "linear", "yarn", "longrope", "\x00",
		[]string{}, []string{"a"}, []uint32{}, []uint32{1}, []uint32{0, 0}, []uint32{1 << 31, 1, 1, 1}, []uint32{2, 0, 2, 0, 2, 0})
}

var ofHeader = []damage{
	{"header", func(f *file, r random) string { f.magic = r.bytes(4); return "magic" }},
	{"header", func(f *file, r random) string {
		f.version = pick(r, 0, 1, 2, 4, math.MaxUint32, uint32(3<<24))
		return fmt.Sprint("version ", f.version)
	}},
	{"header", func(f *file, r random) string {
		if r.IntN(2) == 0 {
			f.pairs = nil
			return "no keys"
		}
		f.tensors = nil
		return "no tensors"
	}},
	{"count", func(f *file, r random) string {
		f.pairCount = new(pick(r, r.size(), uint64(len(f.pairs))+1, uint64(len(f.pairs))-1))
		return fmt.Sprint(*f.pairCount, " keys")
	}},
	{"count", func(f *file, r random) string {
		f.tensorCount = new(pick(r, r.size(), uint64(len(f.tensors))+1, uint64(len(f.tensors))-1))
		return fmt.Sprint(*f.tensorCount, " tensors")
	}},
	{"alignment", func(f *file, r random) string {
		n := pick(r, 0, 1, 2, 3, 4, 8, 16, 24, 64, 4096, 1<<20, 1<<31, uint32(math.MaxUint32))
		f.set("general.alignment", n)
		if n > 0 && n <= 1<<20 && r.IntN(2) == 0 {
			f.align = int(n)
		}
		return fmt.Sprint(n)
	}},
}

// onPair damages a key that is picked at random.
func onPair(kind string, do func(f *file, i int, r random)) damage {
	return damage{kind, func(f *file, r random) string {
		i := r.IntN(len(f.pairs))
		about := f.pairs[i].key
		f.pairs[i].value = slices.Clone(f.pairs[i].value)
		do(f, i, r)
		return about
	}}
}

var ofKeys = []damage{
	onPair("key missing", func(f *file, i int, _ random) { f.pairs = slices.Delete(f.pairs, i, i+1) }),
	onPair("key twice", func(f *file, i int, _ random) { f.pairs = append(f.pairs, f.pairs[i]) }),
	onPair("key of another type", func(f *file, i int, r random) { f.pairs[i].kind = uint32(r.IntN(14)) }),
	onPair("key converted", func(f *file, i int, r random) { f.set(f.pairs[i].key, r.value()) }),
	onPair("length", func(f *file, i int, r random) { f.pairs[i].size = new(r.size()) }),
	onPair("length", lengthen),
	onPair("number", renumber), onPair("number", renumber), onPair("number", renumber),
	{"architecture", func(f *file, r random) string {
		name := pick(r, architectures...)
		f.rename(name, r.IntN(4) > 0)
		return name
	}},
	{"key added", func(f *file, r random) string {
		key, v := strings.Replace(pick(r, added...), "ARCH", f.architecture(), 1), r.value()
		f.set(key, v)
		return fmt.Sprint(key, " = ", v)
	}},
}

// lengthen gives a text or an array another length than it has.
func lengthen(f *file, i int, r random) {
	for p := f.pairs[i]; p.kind != typeString && p.kind != typeArray; p = f.pairs[i] {
		i = r.IntN(len(f.pairs))
	}
	f.pairs[i].value = slices.Clone(f.pairs[i].value)
	if p := f.pairs[i]; p.kind == typeString {
		order.PutUint64(p.value, r.size())
	} else {
		order.PutUint64(p.value[4:], r.size())
	}
}

// renumber replaces a number, one number of an array, or a text.
func renumber(f *file, i int, r random) {
	p := &f.pairs[i]
	kind, at := p.kind, 0
	if p.kind == typeArray {
		kind = order.Uint32(p.value)
		at = 12 + r.IntN(1+int(order.Uint64(p.value[4:])))*valueBytes[kind]
	}
	switch {
	case p.kind == typeString:
		_, p.value = encoded(string(r.bytes(r.IntN(20))))
	case valueBytes[kind] > 0 && at < len(p.value):
		copy(p.value[at:], r.number(kind))
	}
}

// onList damages a list of the vocabulary.
func onList(about string, do func(list [][]byte, kind uint32, r random) ([][]byte, uint32)) damage {
	return damage{"vocabulary", func(f *file, r random) string {
		var lists []int
		for i, p := range f.pairs {
			if p.kind == typeArray && strings.HasPrefix(p.key, "tokenizer.") {
				lists = append(lists, i)
			}
		}
		if len(lists) == 0 {
			return "it has none"
		}
		p := &f.pairs[pick(r, lists...)]
		var list [][]byte
		kind, c := order.Uint32(p.value), &cursor{b: p.value, at: 12}
		for c.at < len(p.value) {
			from := c.at
			c.skip(kind)
			list = append(list, p.value[from:c.at])
		}
		if len(list) > 0 {
			list, kind = do(list, kind, r)
		}
		p.value = append(array(kind, len(list)), slices.Concat(list...)...)
		return p.key + " " + about
	}}
}

var ofVocabulary = []damage{
	onList("shorter", func(list [][]byte, kind uint32, r random) ([][]byte, uint32) { return list[:r.IntN(len(list))], kind }),
	onList("longer", func(list [][]byte, kind uint32, r random) ([][]byte, uint32) {
		return append(slices.Clip(list), list[:1+r.IntN(len(list))]...), kind
	}),
	onList("with one twice", func(list [][]byte, kind uint32, r random) ([][]byte, uint32) {
		list[r.IntN(len(list))] = pick(r, list...)
		return list, kind
	}),
	onList("shuffled", func(list [][]byte, kind uint32, r random) ([][]byte, uint32) {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list, kind
	}),
	onList("of another type", func(list [][]byte, _ uint32, r random) ([][]byte, uint32) {
		kind := pick(r, 0, typeUint32, typeInt32, typeFloat32, typeBool, typeString, typeUint64, uint32(typeFloat64))
		return slices.Repeat([][]byte{element(kind, r)}, len(list)), kind
	}),
	onList("with one other", func(list [][]byte, kind uint32, r random) ([][]byte, uint32) {
		list[r.IntN(len(list))] = element(kind, r)
		return list, kind
	}),
	onList("all the same", func(list [][]byte, kind uint32, r random) ([][]byte, uint32) {
		return slices.Repeat([][]byte{element(kind, r)}, len(list)), kind
	}),
}

// element is an element of a list that no sound list has.
func element(kind uint32, r random) []byte {
	if kind != typeString {
		return r.number(kind)
	}
	_, one := encoded(pick(r, "", " ", "a", "<0xFF>", "<0xZZ>", "<0x", "\x00", "\xff\xfe", "a b c", strings.Repeat("x", 100000)))
	return one
}

// onBytes damages a file whose pieces are whole.
func onBytes(kind string, do func(b []byte, header int, r random) []byte) damage {
	return damage{kind, func(f *file, r random) string {
		f.raw = do(f.bytes(), f.end, r)
		return fmt.Sprint(len(f.raw), " bytes")
	}}
}

var ofBytes = []damage{
	onBytes("cut short", func(b []byte, _ int, r random) []byte { return b[:r.IntN(len(b))] }),
	onBytes("header cut short", func(b []byte, header int, r random) []byte { return b[:r.IntN(header)] }),
	onBytes("longer", func(b []byte, _ int, r random) []byte { return append(b, r.bytes(r.IntN(9999))...) }),
	onBytes("bytes cut out", func(b []byte, header int, r random) []byte {
		at := r.IntN(header)
		return slices.Delete(b, at, min(len(b), at+1+r.IntN(64)))
	}),
	onBytes("a bit flipped in the header", func(b []byte, header int, r random) []byte {
		b[r.IntN(header)] ^= 1 << r.IntN(8)
		return b
	}),
	onBytes("bytes changed in the header", func(b []byte, header int, r random) []byte {
		for range 1 + r.IntN(16) {
			b[r.IntN(header)] = byte(r.IntN(256))
		}
		return b
	}),
	onBytes("bytes changed anywhere", func(b []byte, _ int, r random) []byte {
		for range 1 + r.IntN(64) {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
		return b
	}),
}

// architectures are names that llama.cpp knows; a model's tensors and keys do not fit most of them.
var architectures = strings.Fields(`clip llama llama4 deci falcon grok gpt2 gptj gptneox mpt baichuan starcoder refact bert nomic-bert
	nomic-bert-moe neo-bert jina-bert-v2 jina-bert-v3 bloom stablelm qwen qwen2 qwen2moe qwen2vl qwen3 qwen3moe qwen3next qwen3vl qwen3vlmoe
	phi2 phi3 phimoe plamo plamo2 codeshell orion internlm2 minicpm minicpm3 gemma gemma2 gemma3 gemma3n gemma-embedding starcoder2 mamba
	mamba2 jamba falcon-h1 xverse command-r cohere2 dbrx olmo olmo2 olmoe openelm arctic deepseek deepseek2 chatglm glm4 glm4moe bitnet t5
	t5encoder jais nemotron nemotron_h nemotron_h_moe exaone exaone4 rwkv6 rwkv6qwen2 rwkv7 arwkv7 granite granitemoe granitehybrid chameleon
	solar wavtokenizer-dec plm bailingmoe bailingmoe2 dots1 arcee afmoe ernie4_5 ernie4_5-moe hunyuan-moe hunyuan-dense smollm3 gpt-oss lfm2
	lfm2moe dream smallthinker llada llada-moe seed_oss grovemoe apertus minimax-m2 cogvlm rnd1 pangu-embedded mistral3 (unknown)`)

// added are keys that a model may lack; ARCH stands for its architecture.
var added = strings.Fields(`ARCH.rope.scaling.type ARCH.rope.scaling.factor ARCH.rope.scaling.original_context_length
	ARCH.rope.scaling.attn_factor ARCH.rope.scaling.yarn_log_multiplier ARCH.rope.dimension_sections ARCH.rope.dimension_count
	ARCH.expert_count ARCH.expert_used_count ARCH.expert_group_count ARCH.expert_group_used_count ARCH.expert_gating_func
	ARCH.attention.key_length ARCH.attention.value_length ARCH.attention.head_count_kv ARCH.attention.head_count ARCH.feed_forward_length
	ARCH.attention.sliding_window ARCH.attention.clamp_kqv ARCH.attention.max_alibi_bias ARCH.attention.causal
	ARCH.attention.layer_norm_epsilon ARCH.attention.group_norm_groups ARCH.attn_logit_softcapping ARCH.final_logit_softcapping
	ARCH.pooling_type ARCH.leading_dense_block_count ARCH.nextn_predict_layers ARCH.interleave_moe_layer_step ARCH.moe_every_n_layers
	ARCH.vocab_size ARCH.ssm.group_count ARCH.wkv.head_size ARCH.n_deepstack_layers ARCH.decoder_block_count ARCH.decoder_start_token_id
	ARCH.use_parallel_residual split.count split.no split.tensors.count general.file_type tokenizer.ggml.model tokenizer.ggml.pre
	tokenizer.ggml.add_bos_token tokenizer.ggml.add_eos_token tokenizer.ggml.add_space_prefix tokenizer.ggml.remove_extra_whitespaces
	tokenizer.ggml.precompiled_charsmap tokenizer.ggml.bos_token_id tokenizer.ggml.eos_token_id tokenizer.ggml.eot_token_id
	tokenizer.ggml.unknown_token_id tokenizer.ggml.padding_token_id tokenizer.ggml.seperator_token_id tokenizer.ggml.fim_pre_token_id
	tokenizer.ggml.token_type_count tokenizer.chat_template`)

// onTensor damages a tensor that is picked at random.
func onTensor(kind string, do func(f *file, t *tensor, r random)) damage {
	return damage{kind, func(f *file, r random) string {
		t := &f.tensors[r.IntN(len(f.tensors))]
		t.shape = slices.Clone(t.shape)
		about := t.name
		do(f, t, r)
		return about
	}}
}

var ofTensors = []damage{
	onTensor("type", func(_ *file, t *tensor, r random) { t.kind = r.tensorType() }),
	onTensor("type, with its data", func(_ *file, t *tensor, r random) { t.kind = r.tensorType(); t.fit() }),
	onTensor("shape", func(_ *file, t *tensor, r random) { t.shape[r.IntN(len(t.shape))] = r.size() }),
	onTensor("shape, with its data", reshape), onTensor("shape, with its data", reshape),
	onTensor("dimensions", func(_ *file, t *tensor, r random) {
		t.dimensions = new(pick(r, 0, 1, 2, 3, 4, 5, uint32(math.MaxUint32)))
	}),
	onTensor("offset", func(_ *file, t *tensor, r random) {
		t.offset = new(pick(r, 0, 1, 16, 32, math.MaxUint64, math.MaxUint64-31, 1<<62, 1<<40, uint64(4096)))
	}),
	onTensor("length", func(_ *file, t *tensor, r random) { t.size = new(r.size()) }),
	onTensor("weights of NaN", spoil),
	onTensor("random weights", func(_ *file, t *tensor, r random) { t.data = r.bytes(len(t.data)) }),
	onTensor("tensor renamed", func(_ *file, t *tensor, r random) { t.name = r.tensorName(t.name) }),
	{"tensor missing", func(f *file, r random) string {
		i := r.IntN(len(f.tensors))
		name := f.tensors[i].name
		f.tensors = slices.Delete(f.tensors, i, i+1)
		return name
	}},
	onTensor("tensor twice", func(f *file, t *tensor, _ random) { f.tensors = append(f.tensors, *t) }),
	onTensor("tensors swapped", func(f *file, t *tensor, r random) {
		other := &f.tensors[r.IntN(len(f.tensors))]
		t.name, other.name = other.name, t.name
	}),
	onTensor("tensor added", func(f *file, t *tensor, r random) {
		another := *t
		another.name = r.tensorName(t.name)
		f.tensors = append(f.tensors, another)
	}),
}

// tensorType is a type of ggml's, or a number that is none.
func (r random) tensorType() uint32 {
	return pick(r, uint32(r.IntN(41)), uint32(r.IntN(41)), 99, math.MaxUint32)
}

// fit gives the tensor as much data as its type and shape need, where its rows are whole blocks.
func (t *tensor) fit() {
	elements, size, known := gguf.Layout(gguf.Type(t.kind).String())
	if !known || t.shape[0]%uint64(elements) != 0 {
		return
	}
	n := uint64(1)
	for _, side := range t.shape {
		n *= side
	}
	if n = n / uint64(elements) * uint64(size); n < 1<<26 && len(t.data) > 0 {
		t.data = slices.Repeat(t.data, int(n)/len(t.data)+1)[:n]
	}
}

// reshape gives the tensor another shape, and as much data as that needs.
func reshape(_ *file, t *tensor, r random) {
	side := &t.shape[r.IntN(len(t.shape))]
	switch r.IntN(6) {
	case 0:
		*side = 1
	case 1:
		*side *= 2
	case 2:
		*side = max(1, *side/2)
	case 3:
		*side++
	case 4:
		slices.Reverse(t.shape)
	case 5:
		t.shape = append(t.shape, 1)
	}
	t.fit()
}

// spoil makes one weight NaN or infinite, or all of them.
func spoil(_ *file, t *tensor, r random) {
	bad := pick(r, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32)
	one := order.AppendUint32(nil, math.Float32bits(float32(bad)))
	if t.kind != 0 { // a half, such as the scale of a block
		one = []byte{0xff, 0x7f}
	}
	n := len(t.data) / len(one)
	all := slices.Repeat(one, n)
	if r.IntN(3) == 0 {
		all = slices.Clone(t.data)
		copy(all[r.IntN(n)*len(one):], one)
	}
	t.data = all
}

// tensorName is a name that llama.cpp may look for, or one that it does not.
func (r random) tensorName(name string) string {
	ending := pick(r, "x.weight", "output.weight", "rope_freqs.weight", "attn_q.bias", "attn_k.bias", "attn_output.bias", "ffn_down.bias",
		"ffn_norm.weight", "attn_q_norm.weight", "attn_norm.bias", "ffn_gate.weight", "attn_qkv.weight", "ffn_gate_inp.weight",
		"ffn_up_exps.weight", "exp_probs_b.bias", "attn_sinks.weight", "ffn_down.scale", "rope_factors_long.weight",
		"attn_rot_embd.weight", "output_norm.bias", "output.bias", "ssm_a", "layer_output_scale.weight")
	if block, _, in := strings.Cut(strings.TrimPrefix(name, "blk."), "."); in && r.IntN(5) > 0 {
		return fmt.Sprintf("blk.%s.%s", block, ending)
	}
	return pick(r, ending, "", strings.Repeat("x", 64), "blk.99999."+ending, "blk.-1."+ending, "a\x00b", "\xff")
}
