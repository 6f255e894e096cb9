//go:build cgo

package kernels_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// matrixOf is a product with one of the matrices alone.
func matrixOf(p kernelstest.Product, number int) kernelstest.Product {
	size := len(p.Weights) / p.Matrices
	return kernelstest.Product{
		Type: p.Type, Buffer: p.Buffer, Width: p.Width, Rows: p.Rows, Weights: p.Weights[number*size:][:size], Activations: p.Activations,
	}
}

// A column's product with an expert has the bits that it has with that matrix alone, whichever experts the others have,
// none of them or all the same.
func TestProductsWithExpertsAreThoseWithTheirMatrices(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const width, rows, matrices, used = 512, 43, 8, 3
		for _, kind := range weightTypes {
			for _, columns := range []int{1, 2, 37} {
				r := rand.New(rand.NewPCG(21, uint64(columns)))
				p := productOf(kind, 21, width, matrices*rows, columns)
				p.Rows, p.Matrices = rows, matrices
				for c := range columns {
					few := matrices - 1 // the last one has no column
					if c%2 == 1 {
						few = used // the first ones have many
					}
					for _, expert := range r.Perm(few)[:used] {
						p.Experts = append(p.Experts, int32(expert))
					}
				}
				got := computed(t, p, 3, 1)
				for i, expert := range p.Experts {
					alone := matrixOf(p, int(expert))
					alone.Activations = p.Activations[i/used*width:][:width]
					if want := kernelstest.Scalar(alone); !slices.Equal(got[i*rows:][:rows], want) {
						t.Fatalf("%v, %d columns: column %d with expert %d is %v, with its matrix alone %v",
							kind, columns, i/used, expert, got[i*rows:][:rows], want)
					}
				}
			}
		}
	})
}

// Several matrices, as those of attention heads, are each multiplied with their own columns, those of two heads of queries.
func TestProductsWithSeveralMatrices(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const width, rows, matrices, columns = 256, 21, 3, 5
		for _, kind := range weightTypes {
			p := productOf(kind, 22, width, matrices*rows, 2*matrices*columns)
			p.Rows, p.Matrices = rows, matrices
			got := computed(t, p, 2, 1)
			for m := range matrices {
				alone := matrixOf(p, m)
				alone.Activations = p.Activations[m*2*columns*width:][:2*columns*width]
				if want := kernelstest.Scalar(alone); !slices.Equal(got[m*2*columns*rows:][:2*columns*rows], want) {
					t.Errorf("%v: the products of matrix %d are others than those with it alone", kind, m)
				}
			}
		}
	})
}

// A token that is given to an expert that there is not ends the program, at once and with a reason, and writes to nobody's memory.
func TestAnExpertThatThereIsNotEndsTheProgram(t *testing.T) {
	const variable, width, rows, matrices = "PROCTOR_TEST_EXPERT", 256, 16, 4
	levels(t)
	if expert, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		p := productOf(kernelstest.Q8_0, 1, width, matrices*rows, 1)
		p.Rows, p.Matrices, p.Experts = rows, matrices, []int32{0, int32(expert)}
		computed(t, p, 1, 1)
		return
	}
	for expert, ends := range map[int]bool{matrices - 1: false, matrices: true, -1: true, 1 << 30: true} {
		child := exec.Command(os.Args[0], "-test.run", t.Name())
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, expert), "GGML_NO_BACKTRACE=1")
		output, err := child.CombinedOutput()
		ended := bytes.Contains(output, []byte("an expert that there is not"))
		assert.Check(t, ended == ends && (err != nil) == ends, "expert %d of %d: %v: %s", expert, matrices, err, output)
	}
}
