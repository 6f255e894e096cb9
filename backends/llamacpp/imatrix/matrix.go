package imatrix

import "slices"

// Matrix is an importance matrix in the making: for each column of each layer's matrices, and of each expert's, the sum of the squares
// of what it was multiplied with.
type Matrix struct{ tensors map[string]*Sums }

// Sums are what the matrices of a tensor were multiplied with: of several, the experts of a layer, each has its own rows.
type Sums struct {
	squares [][]float64 // of each matrix, a column each
	rows    []int64     // of each matrix
}

// Tensor returns a tensor's sums. A mixture's tensor has a matrix for each expert, and each matrix has its own columns.
func (m *Matrix) Tensor(name string, matrices, columns int) *Sums {
	if m.tensors == nil {
		m.tensors = map[string]*Sums{}
	}
	s := m.tensors[name]
	if s == nil {
		s = &Sums{make([][]float64, matrices), make([]int64, matrices)}
		for i := range s.squares {
			s.squares[i] = make([]float64, columns)
		}
		m.tensors[name] = s
	}
	return s
}

// Add adds a row that one of the matrices is multiplied with.
func (s *Sums) Add(matrix int, row []float32) {
	to := s.squares[matrix]
	row = row[:len(to)]
	for i, x := range row {
		to[i] += float64(x) * float64(x)
	}
	s.rows[matrix]++
}

// Rows is how many rows the matrix with most of them was multiplied with; 0 where nothing was computed.
func (m *Matrix) Rows() (most int64) {
	for _, s := range m.tensors {
		most = max(most, slices.Max(s.rows))
	}
	return most
}
