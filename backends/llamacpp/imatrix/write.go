package imatrix

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"
)

// chunk is how many tokens llama.cpp's tool counts as one.
const chunk = 512

// Types of values in GGUF files.
const (
	typeUint32 uint32 = 4
	typeString uint32 = 8
	typeArray  uint32 = 9
)

// alignment is what tensors of a GGUF file begin at multiples of.
const alignment = 32

// Write writes the matrix as llama-imatrix does (general.type imatrix, for each tensor NAME.in_sum2 and NAME.counts, an expert a row).
// dataset says what it was collected from. An empty matrix is refused.
func (m *Matrix) Write(to io.Writer, dataset string) error {
	rows := m.Rows()
	if rows == 0 {
		return errors.New("nothing was computed that an importance matrix could be made of")
	}
	var f file
	f.text("general.type", "imatrix")
	f.key("imatrix.datasets", typeArray)
	f.put(typeString, uint64(1))
	f.string(dataset)
	f.key("imatrix.chunk_count", typeUint32)
	f.put(uint32((rows + chunk - 1) / chunk))
	f.key("imatrix.chunk_size", typeUint32)
	f.put(uint32(chunk))
	for _, name := range slices.Sorted(maps.Keys(m.tensors)) {
		s := m.tensors[name]
		squares, counts := floats(slices.Concat(s.squares...)), floats(s.rows)
		f.tensor(name+".in_sum2", squares, len(s.squares[0]), len(s.rows))
		f.tensor(name+".counts", counts, 1, len(s.rows))
	}
	return f.write(to)
}

// floats are numbers as the file has them.
func floats[N int64 | float64](numbers []N) []float32 {
	all := make([]float32, len(numbers))
	for i, n := range numbers {
		all[i] = float32(n)
	}
	return all
}

// file is a GGUF file in the making.
type file struct {
	values, tensors bytes.Buffer
	keys, names     uint64
	data            [][]float32
	size            uint64 // of the data
}

// put appends numbers to the values.
func (f *file) put(numbers ...any) {
	for _, n := range numbers {
		_ = binary.Write(&f.values, binary.LittleEndian, n) // to memory, of a fixed size
	}
}

func (f *file) string(s string) {
	f.put(uint64(len(s)))
	f.values.WriteString(s)
}

func (f *file) key(name string, kind uint32) {
	f.keys++
	f.string(name)
	f.put(kind)
}

func (f *file) text(key, value string) {
	f.key(key, typeString)
	f.string(value)
}

// tensor adds a matrix of 32-bit floats, whose number is 0.
func (f *file) tensor(name string, elements []float32, columns, rows int) {
	f.names++
	shape := []uint64{uint64(columns), uint64(rows)}
	if rows == 1 {
		shape = shape[:1]
	}
	info := []any{uint64(len(name)), []byte(name), uint32(len(shape)), shape, uint32(0), f.size}
	for _, part := range info {
		_ = binary.Write(&f.tensors, binary.LittleEndian, part)
	}
	f.data = append(f.data, elements)
	f.size += padded(4 * uint64(len(elements)))
}

func padded(size uint64) uint64 { return (size + alignment - 1) / alignment * alignment }

func (f *file) write(to io.Writer) error {
	var head bytes.Buffer
	head.WriteString("GGUF")
	for _, n := range []any{uint32(3), f.names, f.keys} {
		_ = binary.Write(&head, binary.LittleEndian, n)
	}
	head.Write(f.values.Bytes())
	head.Write(f.tensors.Bytes())
	pad(&head)
	if _, err := to.Write(head.Bytes()); err != nil {
		return err
	}
	for _, elements := range f.data {
		var data bytes.Buffer
		_ = binary.Write(&data, binary.LittleEndian, elements)
		pad(&data)
		if _, err := to.Write(data.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// pad fills up to the alignment.
func pad(b *bytes.Buffer) {
	size := uint64(b.Len())
	b.Write(make([]byte, padded(size)-size))
}
