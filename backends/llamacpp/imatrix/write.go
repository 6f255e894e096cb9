package imatrix

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"

	"proctor/backends/gguf"
)

// chunk is how many tokens llama.cpp's tool counts as one.
const chunk = 512

// Write writes the matrix as llama-imatrix does (general.type imatrix, for each tensor NAME.in_sum2 and NAME.counts, an expert a row).
// dataset says what it was collected from. An empty matrix is refused.
func (m *Matrix) Write(to io.Writer, dataset string) error {
	rows := m.Rows()
	if rows == 0 {
		return errors.New("nothing was computed that an importance matrix could be made of")
	}
	var w gguf.Writer
	w.Text("general.type", "imatrix")
	w.Texts("imatrix.datasets", dataset)
	w.Uint32("imatrix.chunk_count", uint32((rows+chunk-1)/chunk))
	w.Uint32("imatrix.chunk_size", chunk)
	var data [][]float32
	add := func(name string, elements []float32, columns, rows int) {
		shape := []uint64{uint64(columns), uint64(rows)}
		w.Tensor(name, 0, 4*len(elements), shape[:min(rows, 2)]...) // of type F32
		data = append(data, elements)
	}
	for _, name := range slices.Sorted(maps.Keys(m.tensors)) {
		s := m.tensors[name]
		add(name+".in_sum2", floats(slices.Concat(s.squares...)), len(s.squares[0]), len(s.rows))
		add(name+".counts", floats(s.rows), 1, len(s.rows))
	}
	_, err := to.Write(w.Header())
	for _, elements := range data {
		var b bytes.Buffer
		_ = binary.Write(&b, binary.LittleEndian, elements) // to memory
		b.Write(make([]byte, gguf.Aligned(b.Len())-b.Len()))
		if err == nil {
			_, err = to.Write(b.Bytes())
		}
	}
	return err
}

// floats are numbers as the file has them.
func floats[N int64 | float64](numbers []N) []float32 {
	all := make([]float32, len(numbers))
	for i, n := range numbers {
		all[i] = float32(n)
	}
	return all
}
