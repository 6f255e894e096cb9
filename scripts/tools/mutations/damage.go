package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A mutation damages a model. What it leaves open, such as which bytes are flipped, source decides.
type mutation struct {
	kind  string // for the tally
	about string // what is damaged, for people
	model int    // of the corpus
	write func(f *file, source *rand.Rand) []byte
}

// change is a mutation of one of the pieces of a file.
func change(kind, about string, damage func(f *file, source *rand.Rand)) mutation {
	return mutation{kind: kind, about: about, write: func(f *file, source *rand.Rand) []byte {
		damage(f, source)
		return f.bytes()
	}}
}

// mutations are all kinds of damage to a file.
func mutations(f *file) []mutation {
	return slices.Concat(ofHeader(), ofKeys(f), ofTensors(f), ofVocabulary(f), ofBytes())
}

// counts are what a count or a length is set to.
var counts = []uint64{0, 1, math.MaxUint64, 1 << 62, 1 << 40, 1 << 31, math.MaxUint32, 1 << 20}

// ofHeader damages what stands before the first key, and lengths.
func ofHeader() []mutation {
	all := []mutation{
		change("header", "magic", func(f *file, source *rand.Rand) { f.magic = words(source, 4) }),
		change("header", "no keys", func(f *file, _ *rand.Rand) { f.pairs = nil }),
		change("header", "no tensors", func(f *file, _ *rand.Rand) { f.tensors = nil }),
		change("header", "a key more", func(f *file, _ *rand.Rand) { f.pairCount = new(uint64(len(f.pairs)) + 1) }),
		change("header", "a key less", func(f *file, _ *rand.Rand) { f.pairCount = new(uint64(len(f.pairs)) - 1) }),
		change("header", "a tensor more", func(f *file, _ *rand.Rand) { f.tensorCount = new(uint64(len(f.tensors)) + 1) }),
		change("header", "a tensor less", func(f *file, _ *rand.Rand) { f.tensorCount = new(uint64(len(f.tensors)) - 1) }),
	}
	for _, version := range []uint32{0, 1, 2, 4, math.MaxUint32, 3 << 24} {
		all = append(all, change("header", fmt.Sprintf("version %d", version), func(f *file, _ *rand.Rand) { f.version = version }))
	}
	for _, n := range counts {
		all = append(all,
			change("count", fmt.Sprintf("%d keys", n), func(f *file, _ *rand.Rand) { f.pairCount = &n }),
			change("count", fmt.Sprintf("%d tensors", n), func(f *file, _ *rand.Rand) { f.tensorCount = &n }),
			change("length", fmt.Sprintf("a key's name of %d bytes", n), func(f *file, source *rand.Rand) {
				f.pairs[source.IntN(len(f.pairs))].size = &n
			}),
			change("length", fmt.Sprintf("a tensor's name of %d bytes", n), func(f *file, source *rand.Rand) {
				f.tensors[source.IntN(len(f.tensors))].size = &n
			}))
	}
	for _, n := range []uint32{0, 1, 2, 3, 4, 8, 16, 24, 64, 4096, 1 << 20, 1 << 31, math.MaxUint32} {
		all = append(all, change("alignment", fmt.Sprint(n), func(f *file, source *rand.Rand) {
			f.set("general.alignment", 4, binary.LittleEndian.AppendUint32(nil, n))
			if n > 0 && n <= 1<<20 && source.IntN(2) == 0 {
				f.align = int(n)
			}
		}))
	}
	return all
}

// ofKeys damages keys and their values.
func ofKeys(f *file) []mutation {
	var all []mutation
	for i, p := range f.pairs {
		all = append(all,
			change("key missing", p.key, func(f *file, _ *rand.Rand) { f.pairs = slices.Delete(f.pairs, i, i+1) }),
			change("key twice", p.key, func(f *file, _ *rand.Rand) { f.pairs = append(f.pairs, p) }),
			change("key of another type", p.key, func(f *file, source *rand.Rand) { f.pairs[i].kind = uint32(source.IntN(14)) }),
			change("key converted", p.key, func(f *file, source *rand.Rand) { f.pairs[i] = converted(p, source) }))
		switch kind, at := p.numbers(); {
		case p.kind == typeString:
			for _, n := range counts {
				all = append(all, change("length", fmt.Sprintf("%s of %d bytes", p.key, n), func(f *file, _ *rand.Rand) {
					f.pairs[i].value = binary.LittleEndian.AppendUint64(nil, n)
					f.pairs[i].value = append(f.pairs[i].value, p.value[8:]...)
				}))
			}
			all = append(all, change("text", p.key, func(f *file, source *rand.Rand) {
				f.pairs[i].value = text(string(words(source, source.IntN(20))))
			}))
		case at != nil:
			for _, n := range numbers(kind) {
				all = append(all, change("number", fmt.Sprintf("%s = %x", p.key, n), func(f *file, source *rand.Rand) {
					f.pairs[i].value = slices.Clone(p.value)
					copy(f.pairs[i].value[at[source.IntN(len(at))]:], n)
				}))
			}
			all = append(all, change("number", p.key+" by chance", func(f *file, source *rand.Rand) {
				f.pairs[i].value = slices.Clone(p.value)
				copy(f.pairs[i].value[at[source.IntN(len(at))]:], words(source, valueBytes[kind]))
			}))
		}
		if p.kind == typeArray {
			for _, n := range counts {
				all = append(all, change("length", fmt.Sprintf("%s of %d elements", p.key, n), func(f *file, _ *rand.Rand) {
					f.pairs[i].value = slices.Clone(p.value)
					binary.LittleEndian.PutUint64(f.pairs[i].value[4:], n)
				}))
			}
		}
	}
	for _, name := range architectures {
		all = append(all, change("architecture", name, func(f *file, source *rand.Rand) { f.rename(name, source.IntN(4) > 0) }))
	}
	arch := f.architecture()
	for _, key := range slices.Sorted(maps.Keys(added)) { // a map's own order differs from run to run
		for _, v := range added[key] {
			all = append(all, change("key added", fmt.Sprintf("%s = %v", key, v), func(f *file, _ *rand.Rand) {
				kind, value := encoded(v)
				f.set(strings.Replace(key, "ARCH", arch, 1), kind, value)
			}))
		}
	}
	return all
}

// numbers returns the type of a number, or of an array's, and where in the value they are.
func (p pair) numbers() (kind uint32, at []int) {
	switch {
	case p.kind == typeArray:
		kind = binary.LittleEndian.Uint32(p.value)
		if kind == typeString || kind == typeArray {
			return kind, nil
		}
		for i := range binary.LittleEndian.Uint64(p.value[4:]) {
			at = append(at, 12+int(i)*valueBytes[kind])
		}
		return kind, at
	case p.kind == typeString:
		return p.kind, nil
	}
	return p.kind, []int{0}
}

// numbers are what a number of a type is set to: 0, 1, −1, huge, NaN, and what is near a limit.
func numbers(kind uint32) [][]byte {
	var all [][]byte
	switch kind {
	case typeFloat32:
		for _, v := range []float64{0, 1, -1, 1e30, -1e30, 1e-30, math.NaN(), math.Inf(1), math.Inf(-1), 0.5} {
			all = append(all, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
		}
	case typeFloat64:
		for _, v := range []float64{0, 1, -1, 1e300, math.NaN(), math.Inf(1)} {
			all = append(all, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
	default:
		n := valueBytes[kind]
		for _, v := range []int64{
			0, 1, -1, 2, 3, 7, 100, 1000, 65536, 1 << 30, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64,
		} {
			all = append(all, binary.LittleEndian.AppendUint64(nil, uint64(v))[:n])
		}
	}
	return all
}

// converted is a key with a value of another type, which is whole.
func converted(p pair, source *rand.Rand) pair {
	values := []any{
		uint32(1), int32(-1), float32(1), "1", true, []string{"a"}, []string{}, []uint32{1, 2}, []uint32{}, math.NaN(), "", uint64(1) << 40,
	}
	p.kind, p.value = encoded(values[source.IntN(len(values))])
	return p
}

// encoded is a value as it stands in a file.
func encoded(v any) (kind uint32, value []byte) {
	switch v := v.(type) {
	case uint32:
		return 4, binary.LittleEndian.AppendUint32(nil, v)
	case int32:
		return 5, binary.LittleEndian.AppendUint32(nil, uint32(v))
	case float32:
		return typeFloat32, binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
	case uint64:
		return 10, binary.LittleEndian.AppendUint64(nil, v)
	case float64:
		return typeFloat64, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
	case bool:
		if v {
			return typeBool, []byte{1}
		}
		return typeBool, []byte{0}
	case string:
		return typeString, text(v)
	case []string:
		value = array(typeString, len(v))
		for _, s := range v {
			value = append(value, text(s)...)
		}
	case []uint32:
		value = array(4, len(v))
		for _, n := range v {
			value = binary.LittleEndian.AppendUint32(value, n)
		}
	}
	return typeArray, value
}

func text(s string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(s))), s...)
}

func array(kind uint32, n int) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, kind), uint64(n))
}

// set gives a key a value, the one that is there already or a new one.
func (f *file) set(key string, kind uint32, value []byte) {
	i := slices.IndexFunc(f.pairs, func(p pair) bool { return p.key == key })
	if i < 0 {
		i, f.pairs = len(f.pairs), append(f.pairs, pair{key: key})
	}
	f.pairs[i].kind, f.pairs[i].value = kind, value
}

func (f *file) architecture() string {
	for _, p := range f.pairs {
		if p.key == "general.architecture" {
			return string(p.value[8:])
		}
	}
	return ""
}

// rename gives the model another architecture's name, and its keys too where that is asked for.
func (f *file) rename(name string, keys bool) {
	before := f.architecture() + "."
	for i, p := range f.pairs {
		if rest, own := strings.CutPrefix(p.key, before); own && keys {
			f.pairs[i].key = name + "." + rest
		}
	}
	f.set("general.architecture", typeString, text(name))
}

// words are bytes by chance.
func words(source *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(source.IntN(256))
	}
	return b
}
