package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

// A file is a GGUF file in pieces that can each be damaged.
type file struct {
	magic   []byte
	version uint32
	pairs   []pair
	tensors []tensor
	align   int // of the tensors' data as it is written

	pairCount, tensorCount *uint64 // where they are to differ from the truth
}

// A pair is a key with its value as it stands in the file.
type pair struct {
	key   string
	kind  uint32
	value []byte
	size  *uint64 // length of the key, where it is to differ from the truth
}

// A tensor is an entry of the list of tensors with its data.
type tensor struct {
	name       string
	dimensions *uint32 // where they are to differ from the shape's
	shape      []uint64
	kind       uint32
	offset     *uint64 // where it is to differ from where the data lie
	size       *uint64 // length of the name, where it is to differ from the truth
	data       []byte
}

const defaultAlignment = 32

// Types of values, as the format numbers them.
const (
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
	typeFloat64 = 12
)

// valueBytes are the sizes of numbers by their type; 0 for those that have none.
var valueBytes = [...]int{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8}

// parse takes a sound file apart.
func parse(path string) (*file, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &cursor{b: b}
	f := &file{magic: r.take(4), version: r.uint32(), align: defaultAlignment}
	tensors, pairs := r.uint64(), r.uint64()
	for range pairs {
		p := pair{key: string(r.take(int(r.uint64()))), kind: r.uint32()}
		from := r.at
		r.skip(p.kind)
		p.value = b[from:r.at]
		if p.key == "general.alignment" {
			f.align = int(binary.LittleEndian.Uint32(p.value))
		}
		f.pairs = append(f.pairs, p)
	}
	var offsets []int
	for range tensors {
		t := tensor{name: string(r.take(int(r.uint64())))}
		for range r.uint32() {
			t.shape = append(t.shape, r.uint64())
		}
		t.kind = r.uint32()
		offsets = append(offsets, int(r.uint64()))
		f.tensors = append(f.tensors, t)
	}
	data := b[roundUp(r.at, f.align):]
	for i := range f.tensors {
		end := len(data)
		for _, offset := range offsets { // the data of one end where those of another begin, or with the file
			if offset > offsets[i] {
				end = min(end, offset)
			}
		}
		f.tensors[i].data = data[offsets[i]:end]
	}
	if again := f.bytes(); !bytes.Equal(again[:r.at], b[:r.at]) {
		return nil, fmt.Errorf("%s: it is not the same when put together again", path)
	}
	return f, nil
}

// clone returns a copy whose pieces can be replaced; the bytes of values and data are shared.
func (f *file) clone() *file {
	c := *f
	c.pairs = append([]pair(nil), f.pairs...)
	c.tensors = append([]tensor(nil), f.tensors...)
	return &c
}

// bytes puts the file together.
func (f *file) bytes() []byte {
	var b []byte
	put32 := func(n uint32) { b = binary.LittleEndian.AppendUint32(b, n) }
	put64 := func(n uint64) { b = binary.LittleEndian.AppendUint64(b, n) }
	b = append(b, f.magic...)
	put32(f.version)
	put64(or(f.tensorCount, len(f.tensors)))
	put64(or(f.pairCount, len(f.pairs)))
	for _, p := range f.pairs {
		put64(or(p.size, len(p.key)))
		b = append(b, p.key...)
		put32(p.kind)
		b = append(b, p.value...)
	}
	at := 0
	for _, t := range f.tensors {
		put64(or(t.size, len(t.name)))
		b = append(b, t.name...)
		if t.dimensions != nil {
			put32(*t.dimensions)
		} else {
			put32(uint32(len(t.shape)))
		}
		for _, n := range t.shape {
			put64(n)
		}
		put32(t.kind)
		put64(or(t.offset, at))
		at = roundUp(at+len(t.data), f.align)
	}
	begin := roundUp(len(b), f.align)
	b = append(b, make([]byte, begin-len(b))...)
	for _, t := range f.tensors {
		b = append(b, make([]byte, roundUp(len(b)-begin, f.align)-(len(b)-begin))...)
		b = append(b, t.data...)
	}
	return b
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

func or(given *uint64, otherwise int) uint64 {
	if given != nil {
		return *given
	}
	return uint64(otherwise)
}

// cursor reads a sound file.
type cursor struct {
	b  []byte
	at int
}

func (c *cursor) take(n int) []byte {
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) uint32() uint32 { return binary.LittleEndian.Uint32(c.take(4)) }
func (c *cursor) uint64() uint64 { return binary.LittleEndian.Uint64(c.take(8)) }

// skip goes past a value.
func (c *cursor) skip(kind uint32) {
	switch kind {
	case typeString:
		c.take(int(c.uint64()))
	case typeArray:
		element, n := c.uint32(), c.uint64()
		for range n {
			c.skip(element)
		}
	default:
		c.take(valueBytes[kind])
	}
}
