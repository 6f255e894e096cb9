//go:build cgo

package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// BenchmarkProducts multiplies weights of types and widths that small models have, with one thread. A single column of many rows is
// multiplied as fast as memory gives the weights.
func BenchmarkProducts(b *testing.B) {
	assert.Assert(b, kernels.Available())
	for _, shape := range []struct{ width, rows, columns int }{
		{576, 1536, 16}, {576, 1536, 256}, {640, 2048, 256}, {1024, 2048, 16}, {1024, 2048, 256}, {1024, 64 << 10, 1},
	} {
		for _, kind := range []kernelstest.Type{kernelstest.Q4_1, kernelstest.Q5_0, kernelstest.Q8_0, kernelstest.Q4_K, kernelstest.Q6_K} {
			if shape.width%256 != 0 && (kind == kernelstest.Q4_K || kind == kernelstest.Q6_K) {
				continue
			}
			b.Run(fmt.Sprintf("%v/%dx%d/%d", kind, shape.rows, shape.width, shape.columns), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				stored, _ := kernelstest.Store(kind, shape.width, normal(r, shape.width*shape.rows))
				took := seconds(b, kernelstest.Product{
					Type: kind, Buffer: own, Width: shape.width, Rows: shape.rows, Weights: stored, Activations: normal(r, shape.width*shape.columns),
				})
				b.ReportMetric(float64(shape.width*shape.rows*shape.columns)/took/1e9, "GMAC/s")
				b.ReportMetric(float64(len(stored))/took/1e9, "GB/s")
			})
		}
	}
}

// seconds is how long an operation takes, without what is done once for it.
func seconds(b *testing.B, o kernelstest.Operation) float64 {
	took := func(times int) time.Duration {
		began := time.Now()
		_, err := kernelstest.Compute(o, 1, times)
		assert.NilError(b, err)
		return time.Since(began)
	}
	once := took(1)
	return (took(1+b.N) - once).Seconds() / float64(b.N)
}
