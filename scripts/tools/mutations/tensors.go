package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// types are ggml's types of tensors, and numbers that are none: elements and bytes of a block.
var types = map[uint32][2]uint64{
	0: {1, 4}, 1: {1, 2}, 2: {32, 18}, 3: {32, 20}, 4: {}, 6: {32, 22}, 7: {32, 24}, 8: {32, 34}, 9: {32, 36}, 10: {256, 84},
	11: {256, 110}, 12: {256, 144}, 13: {256, 176}, 14: {256, 210}, 15: {256, 292}, 16: {256, 66}, 17: {256, 74}, 18: {256, 98},
	19: {256, 50}, 20: {32, 18}, 21: {256, 110}, 22: {256, 82}, 23: {256, 136}, 24: {1, 1}, 25: {1, 2}, 26: {1, 4}, 27: {1, 8},
	28: {1, 8}, 29: {256, 56}, 30: {1, 2}, 31: {}, 34: {256, 54}, 35: {256, 66}, 36: {}, 39: {32, 17}, 40: {}, 99: {},
	math.MaxUint32: {},
}

// ofTensors damages entries of the list of tensors, and their data.
func ofTensors(f *file) []mutation {
	var all []mutation
	for i, t := range f.tensors {
		of := func(kind string, damage func(t *tensor, source *rand.Rand)) {
			all = append(all, change(kind, t.name, func(f *file, source *rand.Rand) { damage(&f.tensors[i], source) }))
		}
		of("type", func(t *tensor, source *rand.Rand) { t.kind = typeOf(source) })
		for range 3 {
			of("type, with its data", func(t *tensor, source *rand.Rand) {
				t.kind = typeOf(source)
				if size, whole := t.bytes(); whole {
					t.data = resized(t.data, size)
				}
			})
			of("shape", func(t *tensor, source *rand.Rand) {
				t.shape = slices.Clone(t.shape)
				t.shape[source.IntN(len(t.shape))] = counts[source.IntN(len(counts))]
			})
			of("shape, with its data", reshape)
		}
		of("dimensions", func(t *tensor, source *rand.Rand) {
			t.dimensions = new([]uint32{0, 1, 2, 3, 4, 5, math.MaxUint32}[source.IntN(7)])
		})
		of("offset", func(t *tensor, source *rand.Rand) {
			t.offset = new([]uint64{0, 1, 16, 32, math.MaxUint64, math.MaxUint64 - 31, 1 << 62, 1 << 40, 4096}[source.IntN(9)])
		})
		of("weights of NaN", func(t *tensor, source *rand.Rand) { t.data = filled(t, source) })
		of("weights by chance", func(t *tensor, source *rand.Rand) { t.data = words(source, len(t.data)) })
		of("tensor renamed", func(t *tensor, source *rand.Rand) { t.name = renamed(t.name, source) })
		all = append(all,
			change("tensor missing", t.name, func(f *file, _ *rand.Rand) { f.tensors = slices.Delete(f.tensors, i, i+1) }),
			change("tensor twice", t.name, func(f *file, _ *rand.Rand) { f.tensors = append(f.tensors, t) }),
			change("tensors swapped", t.name, func(f *file, source *rand.Rand) {
				other := source.IntN(len(f.tensors))
				f.tensors[i].name, f.tensors[other].name = f.tensors[other].name, f.tensors[i].name
			}),
			change("tensor added", t.name, func(f *file, source *rand.Rand) {
				t.name = renamed(t.name, source)
				f.tensors = append(f.tensors, t)
			}))
	}
	return all
}

func typeOf(source *rand.Rand) uint32 {
	all := make([]uint32, 0, len(types))
	for kind := range types {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all[source.IntN(len(all))]
}

// bytes is how much data the tensor has; whole is false where its rows are not whole blocks.
func (t *tensor) bytes() (n uint64, whole bool) {
	block := types[t.kind]
	if block[0] == 0 || t.shape[0]%block[0] != 0 {
		return 0, false
	}
	n = 1
	for _, size := range t.shape {
		n *= size
	}
	return n / block[0] * block[1], n < 1<<26
}

// resized repeats data, or cuts them.
func resized(data []byte, size uint64) []byte {
	if len(data) == 0 {
		return make([]byte, size)
	}
	for uint64(len(data)) < size {
		data = append(slices.Clip(data), data...)
	}
	return data[:size]
}

// reshape gives the tensor another shape with as many data as that needs.
func reshape(t *tensor, source *rand.Rand) {
	t.shape = slices.Clone(t.shape)
	switch i := source.IntN(len(t.shape)); source.IntN(6) {
	case 0:
		t.shape[i] = 1
	case 1:
		t.shape[i] *= 2
	case 2:
		t.shape[i] = max(1, t.shape[i]/2)
	case 3:
		t.shape[i]++
	case 4:
		slices.Reverse(t.shape)
	case 5:
		t.shape = append(t.shape, 1)
	}
	if size, whole := t.bytes(); whole {
		t.data = resized(t.data, size)
	}
}

// filled are the tensor's data with numbers that are none, all of them or one.
func filled(t *tensor, source *rand.Rand) []byte {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32}[source.IntN(4)]
	one := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(bad)))
	if t.kind != 0 { // a half's, and that of a block's scale
		one = []byte{0xff, 0x7f}
	}
	data := slices.Clone(t.data)
	if source.IntN(3) == 0 {
		copy(data[source.IntN(len(data)/len(one))*len(one):], one)
		return data
	}
	for i := 0; i+len(one) <= len(data); i += len(one) {
		copy(data[i:], one)
	}
	return data
}

// renamed is a name that llama.cpp may look for, or one that it does not.
func renamed(name string, source *rand.Rand) string {
	endings := []string{
		"x.weight", "output.weight", "rope_freqs.weight", "attn_q.bias", "attn_k.bias", "attn_output.bias", "ffn_down.bias",
		"ffn_norm.weight", "attn_q_norm.weight", "attn_norm.bias", "ffn_gate.weight", "attn_qkv.weight", "ffn_gate_inp.weight",
		"ffn_up_exps.weight", "exp_probs_b.bias", "attn_sinks.weight", "ffn_down.scale", "rope_factors_long.weight",
		"attn_rot_embd.weight", "output_norm.bias", "output.bias", "ssm_a", "layer_output_scale.weight",
	}
	ending := endings[source.IntN(len(endings))]
	if block, _, in := strings.Cut(strings.TrimPrefix(name, "blk."), "."); in && source.IntN(5) > 0 {
		return fmt.Sprintf("blk.%s.%s", block, ending)
	}
	return []string{ending, "", strings.Repeat("x", 64), "blk.99999." + ending, "blk.-1." + ending, "a\x00b", "\xff"}[source.IntN(7)]
}
