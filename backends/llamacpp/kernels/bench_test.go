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
				p := productOf(kind, 1, shape.width, shape.rows, shape.columns)
				took := seconds(b, p)
				b.ReportMetric(float64(shape.width*shape.rows*shape.columns)/took/1e9, "GMAC/s")
				b.ReportMetric(float64(len(p.Weights))/took/1e9, "GB/s")
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

// BenchmarkAttention is that of SmolLM2-135M: a token of each of sixteen streams, and prompts of two, behind 1,018 cells that are the same in
// all. Told so, the kernels read these once for all of them.
func BenchmarkAttention(b *testing.B) {
	assert.Assert(b, kernels.Available())
	for _, shape := range []struct{ streams, tokens int }{{16, 1}, {2, 220}} {
		a := of(64, 9, 3, shape.tokens, 1280, shape.streams)
		a.Scale, a.Ours, a.Group, a.Length = 0.125, true, make([]int32, shape.streams), make([]int32, shape.streams)
		r := rand.New(rand.NewPCG(1, 2))
		one := normal(r, a.Cells*a.Shared*a.Width)
		for range a.Streams {
			stored, _ := kernelstest.Store(a.Type, a.Width, one)
			a.Key, a.Value = append(a.Key, stored...), append(a.Value, stored...)
		}
		a.Query = normal(r, a.Streams*a.Heads*a.Tokens*a.Width)
		for _, shared := range []int32{0, 1018} {
			a.Length[0] = shared
			b.Run(fmt.Sprintf("%dx%d tokens/%d shared", shape.streams, shape.tokens, shared), func(b *testing.B) {
				b.ReportMetric(1e6*seconds(b, a), "µs")
			})
		}
	}
}
