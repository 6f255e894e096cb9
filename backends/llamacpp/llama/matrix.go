package llama

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"

	"proctor/backends/gguf"
)

// matrix is an importance matrix in the making: for each column of each layer's matrices, and of each expert's, the sum of the squares
// of what it was multiplied with.
type matrix struct{ tensors map[string]*sums }

// sums hold the sums of squares for a tensor's matrices: a layer's experts are several matrices, and each has rows of its own.
type sums struct {
	squares [][]float64 // of each matrix, a column each
	rows    []int64     // of each matrix
}

// tensor returns a tensor's sums. A mixture's tensor has a matrix for each expert, and each matrix has its own columns.
func (m *matrix) tensor(name string, matrices, columns int) *sums {
	if m.tensors == nil {
		m.tensors = map[string]*sums{}
	}
	s := m.tensors[name]
	if s == nil {
		s = &sums{make([][]float64, matrices), make([]int64, matrices)}
		for i := range s.squares {
			s.squares[i] = make([]float64, columns)
		}
		m.tensors[name] = s
	}
	return s
}

// add adds a row that one of the matrices is multiplied with.
func (s *sums) add(matrix int, row []float32) {
	to := s.squares[matrix]
	row = row[:len(to)]
	for i, x := range row {
		to[i] += float64(x) * float64(x)
	}
	s.rows[matrix]++
}

// computed is how many rows the matrix with most of them was multiplied with; 0 where nothing was computed.
func (m *matrix) computed() (most int64) {
	for _, s := range m.tensors {
		most = max(most, slices.Max(s.rows))
	}
	return most
}

// chunk is how many tokens llama.cpp's tool counts as one.
const chunk = 512

// Write writes the matrix as llama-imatrix does (general.type imatrix, for each tensor NAME.in_sum2 and NAME.counts, an expert a row).
// dataset says what it was collected from. An empty matrix is refused.
func (m *matrix) Write(to io.Writer, dataset string) error {
	rows := m.computed()
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
