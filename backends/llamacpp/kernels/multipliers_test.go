//go:build cgo

package kernels_test

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// Weights that one level packed are multiplied by any other, to the same bits: the time that each takes may choose.
func TestALevelMultipliesWhatAnotherPacked(t *testing.T) {
	const width, rows, columns = 512, 39, 40
	levels := kernels.Levels()
	if len(levels) < 2 {
		t.Skip("this CPU has fewer than two levels, or one is forced")
	}
	defer kernels.Use(levels[0])
	for _, kind := range weightTypes {
		all := productOf(kind, 25, width, rows, columns)
		want := kernelstest.Scalar(all)
		for _, packs := range levels {
			for _, multiplies := range levels {
				for _, n := range []int{1, 2, 32, 33, columns} {
					kernels.Use(packs)
					kernels.Multiply(int64(n), multiplies)
					p := all
					p.Activations = all.Activations[:n*width]
					got := computed(t, p, 2, 1)
					if i := differs(got, want); i >= 0 {
						t.Fatalf("%v packed by %s, %d columns multiplied by %s: row %d of column %d is %v, one after the other %v",
							kind, packs, n, multiplies, i%rows, i/rows, got[i], want[i])
					}
				}
			}
		}
	}
}

// Whatever is measured, a level that this CPU has multiplies, and taking another one sets all of them.
func TestTheLevelsThatMultiplyAreMeasured(t *testing.T) {
	levels := kernels.Levels()
	if len(levels) < 2 {
		t.Skip("this CPU has fewer than two levels, or one is forced")
	}
	defer kernels.Use(levels[0])
	kernels.Measure()
	for _, columns := range []int64{1, 16, 64} {
		if by := kernels.Multiplier(columns); !slices.Contains(levels, by) {
			t.Errorf("%d columns are multiplied by %q, which this CPU does not have", columns, by)
		} else {
			t.Logf("%d columns: %s", columns, by)
		}
	}
	last := levels[len(levels)-1]
	kernels.Use(last)
	for _, columns := range []int64{1, 2, 32, 33, 5000} {
		by := kernels.Multiplier(columns)
		assert.Check(t, by == last, "%d columns are multiplied by %q, not by %q, which was taken", columns, by, last)
	}
}
