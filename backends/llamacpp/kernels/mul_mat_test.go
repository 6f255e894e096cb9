//go:build cgo

package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// The buffer types whose weights are multiplied by our kernels, and by ggml's own.
const (
	own   = "CPU_PROCTOR"
	plain = "CPU"
)

// normal draws values as those of a model are distributed, some of them far out.
func normal(r *rand.Rand, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
		if r.IntN(200) == 0 {
			values[i] *= 20
		}
	}
	return values
}

var weightTypes = []kernelstest.Type{
	kernelstest.F32, kernelstest.F16, kernelstest.BF16,
	kernelstest.Q4_0, kernelstest.Q4_1, kernelstest.Q5_0, kernelstest.Q5_1, kernelstest.Q8_0,
	kernelstest.IQ4_NL, kernelstest.MXFP4,
	kernelstest.Q2_K, kernelstest.Q3_K, kernelstest.Q4_K, kernelstest.Q5_K, kernelstest.Q6_K, kernelstest.IQ4_XS,
}

// exact computes a product from what the weights mean, without rounding the activations.
func exact(p kernelstest.Product, weights []float32) []float64 {
	result := make([]float64, len(p.Activations)/p.Width*p.Rows)
	for i := range result {
		column, row := p.Activations[i/p.Rows*p.Width:][:p.Width], weights[i%p.Rows*p.Width:][:p.Width]
		for k := range column {
			result[i] += float64(column[k]) * float64(row[k])
		}
	}
	return result
}

// floatSums is how far sums of floats are off. ggml sums products of floats in doubles.
const floatSums = 2e-6

// distance is the root mean square of the differences, relative to that of the values.
func distance[number float32 | float64](got []float32, want []number) float64 {
	var difference, size float64
	for i, w := range want {
		difference += math.Pow(float64(got[i])-float64(w), 2)
		size += float64(w) * float64(w)
	}
	return math.Sqrt(difference / size)
}

func TestProductsAreAsExactAsThoseOfGgml(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, kind := range weightTypes {
			for _, shape := range []struct{ width, rows, columns int }{
				{256, 16, 1}, {256, 45, 7}, {2048, 1, 99}, {1280, 32, 8}, {2048, 16, 9}, {4096, 64, 70},
			} {
				t.Run(fmt.Sprintf("%v %d×%d×%d", kind, shape.rows, shape.width, shape.columns), func(t *testing.T) {
					r := rand.New(rand.NewPCG(1, uint64(shape.width)))
					stored, weights := kernelstest.Store(kind, shape.width, normal(r, shape.rows*shape.width))
					p := kernelstest.Product{
						Type: kind, Buffer: own, Width: shape.width, Weights: stored, Rows: shape.rows,
						Activations: normal(r, shape.columns*shape.width),
					}
					got := computed(t, p, 2, 1)
					p.Buffer = plain
					ggml := computed(t, p, 1, 1)
					want := exact(p, weights)
					if ours, theirs := distance(got, want), distance(ggml, want); ours > 0.013 || ours > max(1.1*theirs, floatSums) {
						t.Errorf("off by %.3g of the values, ggml by %.3g", ours, theirs)
					}
				})
			}
		}
	})
}

// productOf is a product with random numbers.
func productOf(kind kernelstest.Type, seed uint64, width, rows, columns int) kernelstest.Product {
	r := rand.New(rand.NewPCG(seed, seed))
	stored, _ := kernelstest.Store(kind, width, normal(r, rows*width))
	return kernelstest.Product{Type: kind, Buffer: own, Width: width, Weights: stored, Rows: rows, Activations: normal(r, columns*width)}
}

func TestWhatCannotBePackedIsLeftToGgml(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, test := range []struct {
			kind        kernelstest.Type
			width, rows int
		}{{kernelstest.F32, 40, 16}, {kernelstest.F16, 48, 16}, {kernelstest.TQ2_0, 256, 16}} {
			p := productOf(test.kind, 15, test.width, test.rows, 1)
			_, err := kernelstest.Compute(p, 1, 1)
			assert.Check(t, err != nil, "%d rows of %d values in %v are taken", test.rows, test.width, test.kind)
			p.Anyway = true
			got := computed(t, p, 1, 1)
			p.Buffer = plain
			want, err := kernelstest.Compute(p, 1, 1)
			assert.Check(t, err == nil && slices.Equal(got, want),
				"%d rows of %d values in %v, among packed ones: %v, ggml has %v, %v", test.rows, test.width, test.kind, got, want, err)
		}
	})
}
