//go:build cgo

package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// wkvSources are how many a kind has, and which of them decays the states.
var wkvSources = map[kernelstest.WKVKind]struct{ count, decay int }{
	kernelstest.RWKV6: {5, 4}, kernelstest.RWKV7: {6, 1}, kernelstest.GatedLinearAttention: {4, 3},
}

func wkvOf(kind kernelstest.WKVKind, width, heads, tokens, sequences int) kernelstest.WKV {
	r := rand.New(rand.NewPCG(31, uint64(width)))
	w := kernelstest.WKV{
		Kind: kind, Width: width, Heads: heads, Tokens: tokens, Sequences: sequences, Scale: 0.125, Ours: true,
		States: normal(r, sequences*heads*width*width),
	}
	for range wkvSources[kind].count {
		w.Sources = append(w.Sources, normal(r, sequences*tokens*heads*width))
	}
	if kind == kernelstest.RWKV6 {
		w.Sources[3] = w.Sources[3][:heads*width]
	}
	decays := w.Sources[wkvSources[kind].decay]
	for i, v := range decays {
		decays[i] = float32(math.Exp(-math.Exp(float64(v))))
	}
	if kind == kernelstest.RWKV7 { // what is found and what is taken in are no longer than 1
		for i := range w.Sources[4] {
			w.Sources[4][i] /= float32(width)
			w.Sources[5][i] /= 4
		}
	}
	return w
}

// exactWKV are outputs and states in doubles.
func exactWKV(w kernelstest.WKV) []float64 {
	result := make([]float64, len(w.Sources[0])+len(w.States))
	for i, v := range w.States {
		result[len(w.Sources[0])+i] = float64(v)
	}
	n := w.Width
	for at := range len(w.Sources[0]) / n {
		head, sequence := at%w.Heads, at/w.Heads/w.Tokens
		states, output := result[len(w.Sources[0])+(sequence*w.Heads+head)*n*n:][:n*n], result[at*n:][:n]
		of := func(source, i int) float64 { return float64(w.Sources[source][at*n+i]) }
		for row := range n {
			found := 0.0
			for i := 0; w.Kind == kernelstest.RWKV7 && i < n; i++ {
				found += of(4, i) * states[row*n+i]
			}
			for i := range n {
				state := &states[row*n+i]
				switch w.Kind {
				case kernelstest.RWKV7:
					*state = *state*of(1, i) + of(3, row)*of(2, i) + found*of(5, i)
					output[row] += *state * of(0, i)
				case kernelstest.RWKV6:
					taken := of(0, row) * of(1, i)
					output[i] += (taken*float64(w.Sources[3][head*n+row]) + *state) * of(2, row)
					*state = *state*of(4, row) + taken
				default:
					*state = *state*of(3, row) + of(0, row)*of(1, i)
					output[i] += *state * of(2, row) * float64(w.Scale)
				}
			}
		}
	}
	return result
}

// States have the bits of one number after the other at every level, on 1 to 3 threads; and they are what they
// are defined to be.
func TestStatesHaveTheSameBitsOnEveryLevel(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for kind := range wkvSources {
			for _, w := range []kernelstest.WKV{wkvOf(kind, 64, 5, 7, 2), wkvOf(kind, 128, 2, 30, 1), wkvOf(kind, 20, 3, 4, 3)} {
				want := sameBits(t, w, fmt.Sprintf("%s, %d wide", kind, w.Width))
				if off := distance(want, exactWKV(w)); off > floatSums {
					t.Errorf("%s, %d wide: off by %.3g", kind, w.Width, off)
				}
			}
		}
	})
}

func BenchmarkStates(b *testing.B) {
	for kind := range wkvSources {
		for shape, tokens := range map[string]int{"128 tokens": 128, "a token": 1} {
			w := wkvOf(kind, 64, 32, tokens, 1)
			for name, ours := range map[string]bool{"ggml": false, "proctor": true} {
				b.Run(kind.String()+", "+shape+"/"+name, func(b *testing.B) {
					benchmarkLevels(b, func(b *testing.B) {
						w.Ours = ours
						for b.Loop() {
							computed(b, w, 1, 20)
						}
					})
				})
			}
		}
	}
}
