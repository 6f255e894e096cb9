package mutations

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"proctor/backends/gguf"
)

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
