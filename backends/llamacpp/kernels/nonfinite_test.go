//go:build cgo

package kernels_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

var nonFinite = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}

func isFinite(f float32) bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

// One activation that is no number makes all products with its column no numbers, so that it shows; other columns keep
// their bits.
func TestProductsOfWhatIsNoNumberAreNoNumbers(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const width, rows, columns, bad = 512, 32, 9, 3
		for _, kind := range weightTypes {
			p := productOf(kind, 12, width, rows, columns)
			want := computed(t, p, 2, 1)
			for _, value := range nonFinite {
				for _, place := range []int{0, 15, 16, 31, 200, width - 1} {
					broken := p
					broken.Activations = slices.Clone(p.Activations)
					broken.Activations[bad*width+place] = value
					got := computed(t, broken, 2, 1)
					for c := range columns {
						column := got[c*rows:][:rows]
						assert.Check(t, c != bad || !slices.ContainsFunc(column, isFinite),
							"%v: %v at place %d: the products are %v", kind, value, place, column)
						assert.Check(t, c == bad || slices.Equal(column, want[c*rows:][:rows]),
							"%v: %v at place %d of column %d changes column %d", kind, value, place, bad, c)
					}
				}
			}
		}
	})
}

// Activations of which products could not be told from infinity are no numbers, at every level and in the scalar reference; those
// below it, and those that are hardly more than 0, have the same bits at each.
func TestTheLargestAndTheSmallestActivations(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const width, rows = 512, 32
		sizes := []float32{0x1p111, 0x1.fffffep110, 0x1p110, 0x1p100, 0x1p-110, 0x1p-119, 0x1p-126, 0x1p-140}
		for _, kind := range weightTypes[3:] { // those of floats take what is a float
			r := rand.New(rand.NewPCG(16, 16))
			stored, _ := kernelstest.Store(kind, width, normal(r, rows*width))
			p := kernelstest.Product{Type: kind, Buffer: own, Width: width, Weights: stored, Rows: rows}
			for _, size := range sizes {
				column := normal(r, width)
				for i := range column {
					column[i] = size * max(-0.9, min(column[i], 0.9))
				}
				column[77] = -size
				p.Activations = append(p.Activations, column...)
			}
			want := kernelstest.Scalar(p)
			got := computed(t, p, 2, 1)
			assert.Check(t, !slices.ContainsFunc(got[:rows], isFinite), "%v: products with %g are %v", kind, sizes[0], got[:rows])
			if i := differs(got[rows:], want[rows:]); i >= 0 {
				t.Errorf("%v: row %d for activations of %g is %v, one after the other %v",
					kind, i%rows, sizes[1+i/rows], got[rows+i], want[rows+i])
			}
		}
	})
}

// A query or a key that is no number makes what sees it no numbers. What does not see it keeps its bits: tokens from which
// a key is hidden, other streams, other heads. A value that is no number makes those at its place no numbers.
func TestAttentionToWhatIsNoNumberIsNoNumber(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const before, stream, shared, token, place = 100, 1, 1, 20, 33 // shared: a head of keys, of two
		plain := of(64, 4, 2, 30, 192, 2)
		capped, parts := plain, of(64, 4, 2, 150, 320, 2) // which go through the cache side by side
		capped.Cap = 5
		for name, shape := range map[string]kernelstest.Attention{"plain": plain, "scores have a cap": capped, "several parts": parts} {
			a, keys, values := attentionOf(14, shape, before)
			want := computed(t, a, 2, 1)
			// check computes the attention and says of each number whether it must be none, and whether it may not change.
			check := func(what string, value float32, a kernelstest.Attention, broken, kept func(token, place int, sees bool) bool) {
				got := computed(t, a, 2, 1)
				for i, f := range got {
					p, head, at, s := i%a.Height, i/a.Height%a.Heads, i/a.Height/a.Heads%a.Tokens, i/a.Height/a.Heads/a.Tokens
					sees := s == stream && head/(a.Heads/a.Shared) == shared
					if kept(at, p, sees) && f != want[i] || broken(at, p, sees) && isFinite(f) {
						t.Fatalf("%s, %v for a %s: place %d of head %d of token %d of stream %d is %v instead of %v",
							name, value, what, p, head, at, s, f, want[i])
					}
				}
			}
			cell := (stream*a.Cells+before+token)*a.Shared + shared
			for _, value := range nonFinite {
				b := a
				b.Query = slices.Clone(a.Query)
				for h := range a.Heads / a.Shared {
					b.Query[((stream*a.Heads+shared*a.Heads/a.Shared+h)*a.Tokens+token)*a.Width+place] = value
				}
				asks := func(at, _ int, sees bool) bool { return sees && at == token }
				check("query", value, b, asks, func(at, p int, sees bool) bool { return !asks(at, p, sees) })

				b = a
				changed := slices.Clone(keys)
				changed[cell*a.Width+place] = value
				b.Key, _ = kernelstest.Store(a.Type, a.Width, changed)
				later := func(at, _ int, sees bool) bool { return sees && at >= token }
				check("key", value, b, later, func(at, p int, sees bool) bool { return !later(at, p, sees) })

				b = a
				changed = slices.Clone(values)
				changed[cell*a.Height+place] = value
				b.Value, _ = kernelstest.Store(a.Type, a.Height, changed)
				there := func(at, p int, sees bool) bool { return sees && at >= token && p == place }
				check("value", value, b, there, func(at, p int, sees bool) bool { return !there(at, p, sees) })
			}
		}
	})
}

func TestASinkThatIsNoNumberLeavesItsHeadNone(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const bad = 1
		a, _, _ := attentionOf(15, of(64, 4, 2, 3, 64, 1), 20)
		a.Sinks = make([]float32, a.Heads)
		a.Sinks[bad] = float32(math.NaN())
		got := computed(t, a, 2, 1)
		for i, f := range got {
			head := i / a.Height % a.Heads
			assert.Assert(t, isFinite(f) == (head != bad), "head %d gets %v", head, f)
		}
	})
}
