package mutations

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A file is a GGUF file in pieces that can each be damaged. A pointer that is set replaces a true figure.
type file struct {
	magic   []byte
	version uint32
	pairs   []pair
	tensors []tensor
	align   int // of the tensors' data as it is written
	end     int // of the header

	pairCount, tensorCount *uint64
	raw                    []byte // is written instead of the pieces
}

// A pair is a key with its value as the file has it.
type pair struct {
	key   string
	kind  uint32
	value []byte
	size  *uint64 // length of the key
}

// A tensor is an entry of the list of tensors with its data.
type tensor struct {
	name       string
	dimensions *uint32
	shape      []uint64
	kind       uint32
	offset     *uint64
	size       *uint64 // length of the name
	data       []byte
}

var order = binary.LittleEndian

// Types of values, as the format numbers them.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
	typeUint64  = 10
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
	f := &file{magic: r.take(4), version: r.uint32(), align: 32}
	tensors, pairs := r.uint64(), r.uint64()
	for range pairs {
		p := pair{key: string(r.take(int(r.uint64()))), kind: r.uint32()}
		from := r.at
		r.skip(p.kind)
		p.value = b[from:r.at]
		if p.key == "general.alignment" {
			f.align = int(order.Uint32(p.value))
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
	f.end = r.at
	data := b[roundUp(r.at, f.align):]
	for i, offset := range offsets {
		end := len(data)
		for _, other := range offsets { // the data of one end where those of another begin, or with the file
			if other > offset {
				end = min(end, other)
			}
		}
		f.tensors[i].data = data[offset:end]
	}
	if again := f.bytes(); !bytes.Equal(again[:r.at], b[:r.at]) {
		return nil, fmt.Errorf("%s: it is not the same when put together again", path)
	}
	return f, nil
}

// clone returns a copy whose pieces can be replaced; the bytes of values and data are shared.
func (f *file) clone() *file {
	c := *f
	c.pairs, c.tensors = slices.Clone(f.pairs), slices.Clone(f.tensors)
	return &c
}

// bytes puts the file together.
func (f *file) bytes() []byte {
	if f.raw != nil {
		return f.raw
	}
	b := order.AppendUint32(slices.Clone(f.magic), f.version)
	b = order.AppendUint64(b, or(f.tensorCount, uint64(len(f.tensors))))
	b = order.AppendUint64(b, or(f.pairCount, uint64(len(f.pairs))))
	for _, p := range f.pairs {
		b = append(order.AppendUint64(b, or(p.size, uint64(len(p.key)))), p.key...)
		b = append(order.AppendUint32(b, p.kind), p.value...)
	}
	at := 0
	for _, t := range f.tensors {
		b = append(order.AppendUint64(b, or(t.size, uint64(len(t.name)))), t.name...)
		b = order.AppendUint32(b, or(t.dimensions, uint32(len(t.shape))))
		for _, n := range t.shape {
			b = order.AppendUint64(b, n)
		}
		b = order.AppendUint64(order.AppendUint32(b, t.kind), or(t.offset, uint64(at)))
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

func or[T any](given *T, otherwise T) T {
	if given != nil {
		return *given
	}
	return otherwise
}

// set gives a key a value, and adds the key where the file lacks it.
func (f *file) set(key string, v any) {
	i := slices.IndexFunc(f.pairs, func(p pair) bool { return p.key == key })
	if i < 0 {
		i, f.pairs = len(f.pairs), append(f.pairs, pair{key: key})
	}
	f.pairs[i].kind, f.pairs[i].value = encoded(v)
}

func (f *file) architecture() string {
	i := slices.IndexFunc(f.pairs, func(p pair) bool { return p.key == "general.architecture" })
	return string(f.pairs[i].value[8:])
}

// rename gives the model another architecture's name, with or without its keys.
func (f *file) rename(name string, keys bool) {
	before := f.architecture() + "."
	for i, p := range f.pairs {
		if rest, own := strings.CutPrefix(p.key, before); own && keys {
			f.pairs[i].key = name + "." + rest
		}
	}
	f.set("general.architecture", name)
}

// encoded is a value as a file has it.
func encoded(v any) (kind uint32, value []byte) {
	switch v := v.(type) {
	case uint32:
		kind = typeUint32
	case int32:
		kind = typeInt32
	case float32:
		kind = typeFloat32
	case bool:
		kind = typeBool
	case uint64:
		kind = typeUint64
	case float64:
		kind = typeFloat64
	case string:
		return typeString, append(order.AppendUint64(nil, uint64(len(v))), v...)
	case []string:
		value = array(typeString, len(v))
		for _, s := range v {
			_, one := encoded(s)
			value = append(value, one...)
		}
		return typeArray, value
	case []uint32:
		kind, value = typeArray, array(typeUint32, len(v))
	}
	value, err := binary.Append(value, order, v)
	if err != nil {
		panic(err)
	}
	return kind, value
}

func array(kind uint32, n int) []byte {
	return order.AppendUint64(order.AppendUint32(nil, kind), uint64(n))
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

func (c *cursor) uint32() uint32 { return order.Uint32(c.take(4)) }
func (c *cursor) uint64() uint64 { return order.Uint64(c.take(8)) }

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
