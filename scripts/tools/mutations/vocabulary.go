package main

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
)

// ofVocabulary damages what text is made tokens with.
func ofVocabulary(f *file) []mutation {
	var all []mutation
	for i, p := range f.pairs {
		if p.kind != typeArray || !strings.HasPrefix(p.key, "tokenizer.") {
			continue
		}
		of := func(about string, damage func(list []([]byte), kind uint32, source *rand.Rand) ([][]byte, uint32)) {
			all = append(all, change("vocabulary", p.key+" "+about, func(f *file, source *rand.Rand) {
				list, kind := elements(p)
				list, kind = damage(list, kind, source)
				f.pairs[i].value = append(array(kind, len(list)), slices.Concat(list...)...)
			}))
		}
		of("empty", func(_ [][]byte, kind uint32, _ *rand.Rand) ([][]byte, uint32) { return nil, kind })
		for range 5 {
			of("shorter", func(list [][]byte, kind uint32, source *rand.Rand) ([][]byte, uint32) {
				return list[:source.IntN(len(list))], kind
			})
			of("longer", func(list [][]byte, kind uint32, source *rand.Rand) ([][]byte, uint32) {
				return append(slices.Clone(list), list[:1+source.IntN(len(list))]...), kind
			})
			of("with one twice", func(list [][]byte, kind uint32, source *rand.Rand) ([][]byte, uint32) {
				list[source.IntN(len(list))] = list[source.IntN(len(list))]
				return list, kind
			})
			of("shuffled", func(list [][]byte, kind uint32, source *rand.Rand) ([][]byte, uint32) {
				source.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				return list, kind
			})
			of("of numbers", func(list [][]byte, _ uint32, source *rand.Rand) ([][]byte, uint32) {
				kind := []uint32{0, 4, 5, typeFloat32, typeBool, 10, typeFloat64}[source.IntN(7)]
				for i := range list {
					list[i] = make([]byte, valueBytes[kind])
				}
				return list, kind
			})
			of("of texts", func(list [][]byte, _ uint32, source *rand.Rand) ([][]byte, uint32) {
				for i := range list {
					list[i] = text(string(words(source, source.IntN(5))))
				}
				return list, typeString
			})
			of("with one other", func(list [][]byte, kind uint32, source *rand.Rand) ([][]byte, uint32) {
				list[source.IntN(len(list))] = element(kind, source)
				return list, kind
			})
			of("all one", func(list [][]byte, kind uint32, source *rand.Rand) ([][]byte, uint32) {
				one := element(kind, source)
				for i := range list {
					list[i] = one
				}
				return list, kind
			})
		}
	}
	return all
}

// element is one of a list, which no sound one has.
func element(kind uint32, source *rand.Rand) []byte {
	if kind == typeString {
		all := []string{"", " ", "a", "<0xFF>", "<0xZZ>", "<0x", "\x00", "\xff\xfe", "a b c", strings.Repeat("x", 100000)}
		return text(all[source.IntN(len(all))])
	}
	all := numbers(kind)
	return all[source.IntN(len(all))]
}

// elements are those of a list as they stand in the file.
func elements(p pair) (list [][]byte, kind uint32) {
	r := &cursor{b: p.value, at: 12}
	kind = binary.LittleEndian.Uint32(p.value)
	for r.at < len(p.value) {
		from := r.at
		r.skip(kind)
		list = append(list, p.value[from:r.at])
	}
	return list, kind
}

// ofBytes damages a file whatever is in it.
func ofBytes() []mutation {
	whole := func(kind string, damage func(b []byte, header int, source *rand.Rand) []byte) mutation {
		return mutation{kind: kind, write: func(f *file, source *rand.Rand) []byte {
			header := len(f.bytes())
			for _, t := range f.tensors {
				header -= roundUp(len(t.data), f.align)
			}
			return damage(f.bytes(), max(header, 1), source)
		}}
	}
	var all []mutation
	for range 40 {
		all = append(all,
			whole("cut short", func(b []byte, _ int, source *rand.Rand) []byte { return b[:source.IntN(len(b))] }),
			whole("header cut short", func(b []byte, header int, source *rand.Rand) []byte { return b[:source.IntN(header)] }),
			whole("longer", func(b []byte, _ int, source *rand.Rand) []byte { return append(b, words(source, source.IntN(9999))...) }),
			whole("bytes cut out", func(b []byte, header int, source *rand.Rand) []byte {
				at := source.IntN(header)
				return slices.Delete(b, at, min(len(b), at+1+source.IntN(64)))
			}))
	}
	for range 100 {
		all = append(all,
			whole("a bit flipped in the header", func(b []byte, header int, source *rand.Rand) []byte {
				b[source.IntN(header)] ^= 1 << source.IntN(8)
				return b
			}),
			whole("bytes flipped in the header", func(b []byte, header int, source *rand.Rand) []byte {
				for range 1 + source.IntN(16) {
					b[source.IntN(header)] = byte(source.IntN(256))
				}
				return b
			}),
			whole("bytes flipped anywhere", func(b []byte, _ int, source *rand.Rand) []byte {
				for range 1 + source.IntN(64) {
					b[source.IntN(len(b))] = byte(source.IntN(256))
				}
				return b
			}))
	}
	return all
}
