//go:build cgo

package kernels_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

func positionsOf(halves bool, width, turned, heads int, tokens ...int32) kernelstest.Positions {
	r := rand.New(rand.NewPCG(18, uint64(width)))
	return kernelstest.Positions{
		Halves: halves, Width: width, Heads: heads, Turned: turned, Scale: 1, Tokens: tokens, Values: normal(r, width*heads*len(tokens)),
		Ours: true,
	}
}

// Rotary positions are ggml's but for a rounding, of pairs side by side and half a head apart, with interpolated and divided
// frequencies; and they have the same bits at every level, on 1 to 3 threads, and whatever tokens are beside them.
func TestRotaryPositionsAreGGMLsWithTheSameBitsOnEveryLevel(t *testing.T) {
	long := make([]int32, 97)
	for i := range long {
		long[i] = int32(40 * i)
	}
	shapes := map[string]kernelstest.Positions{
		"side by side":       positionsOf(false, 64, 64, 3, long...),
		"half a head apart":  positionsOf(true, 128, 128, 2, long...),
		"part of a head":     positionsOf(true, 96, 32, 2, long...),
		"part, side by side": positionsOf(false, 80, 48, 2, long...),
		"not whole vectors":  positionsOf(false, 64, 20, 2, long...),
		"an odd head":        positionsOf(true, 26, 26, 3, long...),
		"odd, side by side":  positionsOf(false, 42, 38, 2, long...),
	}
	image := shapes["half a head apart"]
	image.Sections, image.Tokens = [4]int{20, 20, 14, 10}, nil
	for i := range 4 {
		for k := range long {
			image.Tokens = append(image.Tokens, int32((7+13*i)*k))
		}
	}
	shapes["four positions"] = image
	image.Sections, image.InTurn = [4]int{24, 20, 20, 0}, true
	shapes["four positions in turn"] = image
	stretched := shapes["half a head apart"]
	stretched.Scale, stretched.Extrapolation = 0.25, 1
	shapes["interpolated"] = stretched
	divided := shapes["side by side"]
	divided.Scale = 0.5
	for i := range 32 {
		divided.Factors = append(divided.Factors, 1+float32(i)/8)
	}
	shapes["divided"] = divided
	first := map[string][]float32{}
	onEachLevel(t, func(t *testing.T) {
		for name, p := range shapes {
			ours := computed(t, p, 1, 1)
			if first[name] == nil {
				first[name] = ours
			}
			if i := differs(ours, first[name]); i >= 0 {
				t.Errorf("%s: value %d is %v, and %v at another level", name, i, ours[i], first[name][i])
			}
			ggml := p
			ggml.Ours = false
			want := computed(t, ggml, 2, 1)
			off := 2e-7 * float64(slices.Max(p.Values))
			if p.Extrapolation > 0 { // angles of thousands are mixed, which the compiler may have fused
				off = 1e-4 * float64(slices.Max(p.Values))
			}
			for i := range want {
				assert.Assert(t, math.Abs(float64(ours[i]-want[i])) <= off, "%s: value %d is %v, and ggml's %v", name, i, ours[i], want[i])
			}
			each := p.Width * p.Heads
			for threads := 1; threads <= 3; threads++ {
				for _, tokens := range [][2]int{{0, 1}, {5, 7}, {50, 97}, {0, 97}} {
					some := p
					some.Tokens, some.Values = nil, p.Values[tokens[0]*each:tokens[1]*each]
					for all := p.Tokens; len(all) > 0; all = all[len(long):] {
						some.Tokens = append(some.Tokens, all[tokens[0]:tokens[1]]...)
					}
					got := computed(t, some, threads, 2)
					i := differs(got, ours[tokens[0]*each:])
					assert.Assert(t, i < 0, "%s: tokens %d, %d threads: value %d differs", name, tokens, threads, i)
				}
			}
		}
	})
}

// What a thread keeps of an operation is not taken for another one, of which only one thing is different.
func TestAnglesAreThoseOfTheOperation(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		p := positionsOf(true, 64, 64, 2, 3, 4, 5)
		scaled, moved, divided, beside := p, p, p, p
		scaled.Scale = 0.5
		moved.Tokens = []int32{3, 4, 6}
		divided.Factors = append(make([]float32, 0, 32), 2)
		for range 31 {
			divided.Factors = append(divided.Factors, 1)
		}
		beside.Halves = false
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		several, later := p, p // which differ in their tokens' second positions
		several.Sections, several.Tokens = [4]int{16, 16, 0, 0}, []int32{3, 4, 5, 1, 2, 3, 0, 0, 0, 0, 0, 0}
		later.Sections, later.Tokens = several.Sections, []int32{3, 4, 5, 1, 2, 4, 0, 0, 0, 0, 0, 0}
		for k, one := range []kernelstest.Positions{scaled, moved, divided, beside, several, later} {
			if k == 5 {
				p = several
			}
			computed(t, p, 1, 1)
			got := computed(t, one, 1, 1)
			one.Ours = false
			want := computed(t, one, 1, 1)
			for i := range want {
				assert.Assert(t, math.Abs(float64(got[i]-want[i])) <= 1e-5,
					"operation %d: value %d is %v, and ggml's %v", k, i, got[i], want[i])
			}
		}
	})
}
