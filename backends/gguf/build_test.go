package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// header writes GGUF by hand, so that a test can get everything wrong.
type header struct {
	magic   string
	version uint32
	order   binary.ByteOrder
	pairs   []pair
	tensors []testTensor
	data    int // bytes after the header, from the next multiple of 32

	pairCount, tensorCount uint64 // where they are to differ from the truth
}

type pair struct {
	key   string
	kind  uint32
	value any // a number of the kind's size, a string, or raw bytes
}

type testTensor struct {
	name   string
	shape  []uint64
	kind   uint32
	offset uint64
}

func text(key, value string) pair { return pair{key, typeString, value} }

func small() header {
	return header{
		magic: "GGUF", version: 3, order: binary.LittleEndian,
		pairs: []pair{
			text("general.architecture", "llama"),
			text("general.name", "small"),
			{"general.file_type", typeUint32, uint32(15)},
			{"llama.context_length", typeUint32, uint32(4096)},
			{"llama.attention.head_count_kv", typeArray, numbers(typeUint32, 4, 4, 2)},
			{"tokenizer.ggml.tokens", typeArray, words("<s>", "a", "b")},
			text("tokenizer.chat_template", "{{ messages }}"),
		},
		tensors: []testTensor{
			{"token_embd.weight", []uint64{256, 3}, 12, 0},                   // Q4_K: 3 × 144 bytes
			{"blk.0.attn_norm.weight", []uint64{256}, 0, 448},                // F32: 1024 bytes
			{"blk.0.attn_q.weight", []uint64{256, 8}, 8, 448 + 1024},         // Q8_0: 2176 bytes
			{"blk.0.ffn_up.weight", []uint64{256, 2}, 12, 448 + 1024 + 2176}, // Q4_K: 288 bytes
		},
		data: 448 + 1024 + 2176 + 288,
	}
}

// numbers is an array of 32-bit integers, words one of strings, both as their bytes.
func numbers(kind uint32, all ...uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, kind)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(all)))
	for _, n := range all {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func words(all ...string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, typeString)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(all)))
	for _, s := range all {
		b = append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	return b
}

func (h header) bytes() []byte {
	var b bytes.Buffer
	put := func(v any) {
		if err := binary.Write(&b, h.order, v); err != nil {
			panic(err) // a value of a size that is not fixed: the test's own mistake
		}
	}
	str := func(s string) {
		put(uint64(len(s)))
		b.WriteString(s)
	}
	or := func(n uint64, otherwise int) uint64 {
		if n != 0 {
			return n
		}
		return uint64(otherwise)
	}
	b.WriteString(h.magic)
	put(h.version)
	put(or(h.tensorCount, len(h.tensors)))
	put(or(h.pairCount, len(h.pairs)))
	for _, p := range h.pairs {
		str(p.key)
		put(p.kind)
		if s, ok := p.value.(string); ok {
			str(s)
		} else {
			put(p.value)
		}
	}
	for _, t := range h.tensors {
		str(t.name)
		put(uint32(len(t.shape)))
		put(t.shape)
		put(t.kind)
		put(t.offset)
	}
	for b.Len()%defaultAlignment != 0 {
		b.WriteByte(0)
	}
	b.Write(make([]byte, h.data))
	return b.Bytes()
}

func read(b []byte) (*File, error) {
	f, err := Read(bytes.NewReader(b), int64(len(b)), "x.gguf")
	if err == nil {
		err = f.Cut
	}
	return f, err
}

func write(t *testing.T, folder, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	assert.NilError(t, os.WriteFile(path, b, 0o600))
	return path
}

// parts writes small as a split model of two parts and returns the path of the first.
func parts(t *testing.T, folder string, change func(part int, h *header)) string {
	t.Helper()
	for i := range 2 {
		h := small()
		if i == 1 {
			h.pairs = nil
			h.tensors, h.data = []testTensor{{"output.weight", []uint64{256, 3}, 1, 0}}, 1536
		}
		h.pairs = append(h.pairs, pair{"split.no", typeUint16, uint16(i)}, pair{"split.count", typeUint16, uint16(2)},
			pair{"split.tensors.count", typeInt32, int32(5)})
		change(i, &h)
		write(t, folder, fmt.Sprintf("m-%05d-of-00002.gguf", i+1), h.bytes())
	}
	return filepath.Join(folder, "m-00001-of-00002.gguf")
}

func mustRefuse(t *testing.T, err error, want string) {
	t.Helper()
	assert.Assert(t, err != nil, "it was accepted")
	assert.Check(t, strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "\n"),
		"error %q, want one line with %q", err, want)
}
