//go:build cgo

package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

func normsOf(width, rows int) kernelstest.Norms {
	r := rand.New(rand.NewPCG(17, uint64(width)))
	return kernelstest.Norms{Width: width, Epsilon: 1e-5, Rows: normal(r, width*rows), Ours: true}
}

// Norms have the bits of one number after the other at every level, on 1 to 3 threads, and whatever rows are beside them; and they
// are not ggml's, which adds up doubles, but off from what is exact by no more than a rounding or two. What is no whole vector
// is ggml's.
func TestNormsHaveTheSameBitsOnEveryLevel(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, width := range []int{16, 48, 64, 80, 512, 4096} {
			norms := normsOf(width, 7)
			for _, rows := range []int{1, 2} {
				sameBits(t, normsOf(width, rows), fmt.Sprintf("%d rows of %d", rows, width))
			}
			want := sameBits(t, norms, fmt.Sprintf("rows of %d", width))
			for row := range slices.Chunk(norms.Rows, width) {
				sum := 0.0
				for _, v := range row {
					sum += float64(v) * float64(v)
				}
				scale := 1 / math.Sqrt(sum/float64(width)+float64(norms.Epsilon))
				for i, v := range row {
					if exact := float64(v) * scale; math.Abs(float64(want[i])-exact) > 4e-7*math.Abs(exact) {
						t.Fatalf("a row of %d: value %d is %v, exactly %v", width, i, want[i], exact)
					}
				}
				want = want[width:]
			}
		}
		odd := normsOf(72, 3)
		ours := computed(t, odd, 2, 1)
		odd.Ours = false
		ggml := computed(t, odd, 2, 1)
		if i := differs(ours, ggml); i >= 0 {
			t.Errorf("rows of 72: value %d is %v, and ggml's %v", i, ours[i], ggml[i])
		}
	})
}
