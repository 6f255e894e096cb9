//go:build cgo

package kernels_test

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// rotated are values whose blocks are multiplied by the normalised Hadamard matrix, as a fast transform does it.
func rotated(values []float32, size int) []float32 {
	all := slices.Clone(values)
	scale := 1 / float32(math.Sqrt(float64(size)))
	for block := range slices.Chunk(all, size) {
		for distance := size / 2; distance > 0; distance /= 2 {
			for i := range block {
				if i&distance == 0 {
					block[i], block[i+distance] = block[i]+block[i+distance], block[i]-block[i+distance]
				}
			}
		}
		for i := range block {
			block[i] *= scale
		}
	}
	return all
}

// The matrix has 1 or -1 at (i, j), as i & j has an even or an odd number of bits.
func TestARotationIsTheHadamardMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 80))
	for _, size := range []int{64, 128, 512} {
		values := normal(r, size)
		got := rotated(values, size)
		for i := range got {
			want := 0.0
			for j, v := range values {
				sign := 1 - 2*float64(popcount(i&j)%2)
				want += sign * float64(v) / math.Sqrt(float64(size))
			}
			assert.Check(t, math.Abs(want-float64(got[i])) < 1e-5, "place %d of %d: %g, want %g", i, size, got[i], want)
		}
	}
}

func popcount(n int) (bits int) {
	for ; n > 0; n &= n - 1 {
		bits++
	}
	return bits
}

// Rows come to their places in a quantised cache as ggml's reference quantises them, rotated or not, whatever threads
// there are.
func TestRowsOfAQuantisedCacheAreRotated(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 80))
		for _, c := range []struct {
			width int
			by    kernels.Rotation
		}{
			{192, kernels.Rotation{}}, {192, kernels.Rotation{Keys: 64, Values: 64}},
			{1280, kernels.Rotation{Keys: 256, Values: 64}}, {2048, kernels.Rotation{Keys: 1024}},
		} {
			const cells = 9
			places := []int64{8, 0, 5}
			rows := normal(r, len(places)*c.width)
			for name, size := range map[string]int32{"cache_k_l3": c.by.Keys, "cache_v_l3": c.by.Values} {
				for _, kind := range []kernelstest.Type{kernelstest.Q4_0, kernelstest.Q8_0} {
					turned := rows
					if size > 0 {
						turned = rotated(rows, int(size))
					}
					want := make([]float32, cells*c.width)
					for i, place := range places {
						_, restored := kernelstest.Store(kind, c.width, turned[i*c.width:][:c.width])
						copy(want[int(place)*c.width:], restored)
					}
					for _, threads := range []int{1, 3} {
						got := computed(t, kernelstest.CacheRows{Type: kind, Name: name, Width: c.width, Cells: cells,
							Rows: rows, Places: places, Rotated: c.by, Ours: true}, threads, 1)
						assert.Check(t, slices.Equal(got, want), "%s, %v, type %d, width %d, %d threads", name, c.by, kind,
							c.width, threads)
					}
				}
			}
		}
	})
}

// Attention to a rotated cache is that of rotated queries, and its results are rotated: to the bit.
func TestAttentionTurnsQueriesAndResults(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, by := range []kernels.Rotation{{Keys: 64}, {Values: 64}, {Keys: 128, Values: 64}} {
			for _, tokens := range []int{1, 40} {
				shape := of(128, 6, 3, tokens, 320, 3)
				shape.Type, shape.Height = kernelstest.Q8_0, 64
				a, _, _ := attentionOf(80, shape, 250)
				a.Rotated = by
				got := computed(t, a, 2, 1)
				plain := a
				plain.Rotated, plain.Scale, plain.Query = kernels.Rotation{}, 1, slices.Clone(a.Query)
				for i := range plain.Query {
					plain.Query[i] *= a.Scale
				}
				if by.Keys > 0 {
					plain.Query = rotated(plain.Query, int(by.Keys))
				}
				want := computed(t, plain, 2, 1)
				if by.Values > 0 {
					want = rotated(want, int(by.Values))
				}
				assert.Check(t, slices.Equal(got, want), "%v, %d tokens: attention comes out differently", by, tokens)
			}
		}
	})
}

// Halves are stored as they are, and nothing turns what is read of them.
func TestACacheOfHalvesIsNotRotated(t *testing.T) {
	a, _, _ := attentionOf(81, of(64, 4, 2, 3, 320, 2), 250)
	want := computed(t, a, 2, 1)
	a.Rotated = kernels.Rotation{Keys: 64, Values: 64}
	assert.Check(t, slices.Equal(computed(t, a, 2, 1), want))
}

// attendedByOthers has a test's process write to a rotated cache that ggml's kernels attend to.
const attendedByOthers = "PROCTOR_TEST_ATTENDED_BY_OTHERS"

// Where ggml attends to a quantised cache, as to more streams than the kernels take, nothing is rotated in silence.
func TestNothingIsRotatedThatOthersAttendTo(t *testing.T) {
	if !kernels.Available() {
		t.Skip("the program has no kernels for this CPU")
	}
	write := kernelstest.CacheRows{Type: kernelstest.Q8_0, Name: "cache_k_l0", Width: 64, Cells: 2,
		Rows: make([]float32, 64), Places: []int64{0}, Rotated: kernels.Rotation{Keys: 64}, Ours: true}
	streams := 3
	if os.Getenv(attendedByOthers) != "" {
		streams = 257
	}
	shape := of(64, 2, 1, 1, 64, streams)
	shape.Type = kernelstest.Q8_0
	attend, _, _ := attentionOf(82, shape, 40)
	_, err := kernelstest.Compute(write, 1, 1, attend)
	assert.NilError(t, err)
	if streams == 257 {
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNothingIsRotatedThatOthersAttendTo$")
	command.Env = append(os.Environ(), attendedByOthers+"=1")
	out, err := command.CombinedOutput()
	assert.Check(t, err != nil && strings.Contains(string(out), "its cache cannot be rotated"), "%v\n%s", err, out)
}
