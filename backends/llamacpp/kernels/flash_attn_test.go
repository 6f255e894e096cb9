//go:build cgo

package kernels_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

const hidden = 0xfc00 // minus infinity as a half

// of is attention of so many heads, some of which share one of keys, to a cache of halves.
func of(width, heads, shared, tokens, cells, streams int) kernelstest.Attention {
	return kernelstest.Attention{
		Type: kernelstest.F16, Width: width, Height: width, Heads: heads, Shared: shared, Tokens: tokens, Cells: cells, Streams: streams,
	}
}

// attentionOf draws an attention in which the tokens of each stream come after so many cells that all of them see; some
// cells at the end are nobody's. It returns the keys and values as floats, too.
func attentionOf(seed uint64, a kernelstest.Attention, before int) (kernelstest.Attention, []float32, []float32) {
	r := rand.New(rand.NewPCG(4, seed))
	a.Ours = true
	a.Scale = 1 / float32(math.Sqrt(float64(a.Width)))
	a.Query = normal(r, a.Streams*a.Heads*a.Tokens*a.Width)
	var keys, values []float32
	a.Key, keys = kernelstest.Store(a.Type, a.Width, normal(r, a.Streams*a.Cells*a.Shared*a.Width))
	a.Value, values = kernelstest.Store(a.Type, a.Height, normal(r, a.Streams*a.Cells*a.Shared*a.Height))
	if before >= 0 {
		distances := make([]float32, a.Streams*a.Tokens*a.Cells)
		for i := range distances {
			cell, token := i%a.Cells, i/a.Cells%a.Tokens
			switch distance := before + token - cell; {
			case distance < 0:
				distances[i] = float32(math.Inf(-1))
			case a.Bias > 0:
				distances[i] = -float32(distance)
			}
		}
		halves, _ := kernelstest.Store(kernelstest.F16, a.Cells, distances)
		for i := range distances {
			a.Mask = append(a.Mask, binary.LittleEndian.Uint16(halves[2*i:]))
		}
	}
	return a, keys, values
}

// softmax computes attention as it is defined.
func softmax(a kernelstest.Attention, before int, keys, values []float32) []float64 {
	var result []float64
	for stream := range a.Streams {
		for token := range a.Tokens {
			for head := range a.Heads {
				shared := head / (a.Heads / a.Shared)
				query := a.Query[((stream*a.Heads+head)*a.Tokens+token)*a.Width:][:a.Width]
				slope := 1.0
				if a.Bias > 0 {
					slope = math.Exp2(-float64(a.Bias) * float64(head+1) / float64(a.Heads)) // of a power of two of heads
				}
				out, total := make([]float64, a.Height), 0.0
				if a.Sinks != nil {
					total = math.Exp(float64(a.Sinks[head]))
				}
				for cell := range a.Cells {
					if a.Mask != nil && a.Mask[(stream*a.Tokens+token)*a.Cells+cell] == hidden {
						continue
					}
					distance := 0
					if a.Bias > 0 {
						distance = before + token - cell
					}
					at := (stream*a.Cells+cell)*a.Shared + shared
					score := 0.0
					for i, q := range query {
						score += float64(q) * float64(keys[at*a.Width+i])
					}
					score *= float64(a.Scale)
					if a.Cap > 0 {
						score = float64(a.Cap) * math.Tanh(score/float64(a.Cap))
					}
					weight := math.Exp(score - slope*float64(distance))
					total += weight
					for i := range out {
						out[i] += weight * float64(values[at*a.Height+i])
					}
				}
				for _, v := range out {
					if total > 0 {
						v /= total
					}
					result = append(result, v)
				}
			}
		}
	}
	return result
}

func TestATokenThatSeesNothingGetsNothing(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		a, _, _ := attentionOf(7, of(64, 2, 2, 2, 64, 1), 20)
		for i := range a.Cells { // of the first of two tokens
			a.Mask[i] = hidden
		}
		got := computed(t, a, 1, 1)
		first, second := got[:a.Heads*a.Height], got[a.Heads*a.Height:]
		assert.Check(t, slices.Max(first) == 0 && slices.Min(first) == 0 && slices.Max(second) != 0, "%v, %v", first, second)
	})
}

// Streams with a common beginning get the same bits whether attention knows of it or not, on any number of threads; and where it
// knows, it does not read the beginning of any but one of them.
func TestWhatStreamsShareIsReadOnce(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		const common, alone = 640, 3
		a, _, _ := attentionOf(10, of(64, 8, 4, 1, 896, 17), 800)
		row := a.Shared * a.Width * 2
		stream := a.Cells * row
		for s := 1; s < a.Streams; s++ {
			if s != alone {
				copy(a.Key[s*stream:][:common*row], a.Key)
				copy(a.Value[s*stream:][:common*row], a.Value)
			}
		}
		want := computed(t, a, 1, 1)
		a.Group, a.Length = make([]int32, a.Streams), make([]int32, a.Streams)
		a.Group[alone] = alone
		a.Length[0] = common + 50 // a block that is only begun is not shared
		r := rand.New(rand.NewPCG(11, 11))
		for _, poisoned := range []bool{false, true} {
			for s := 1; poisoned && s < a.Streams; s++ {
				for i := range common * row / 2 {
					if s != alone {
						binary.LittleEndian.PutUint16(a.Key[s*stream+2*i:], uint16(r.IntN(1<<14)))
					}
				}
			}
			for _, threads := range []int{1, 2, 3, 16, 64} {
				got := computed(t, a, threads, 1)
				assert.Check(t, slices.Equal(got, want),
					"%d threads, what only a second reading finds: %v: attention comes out differently", threads, poisoned)
			}
		}
	})
}

// Streams of a cache share what is theirs, whichever of them are attended; and where nothing tells which these are, as with keys that
// were copied from a GPU, they share nothing.
func TestOnlyStreamsThatAreKnownShare(t *testing.T) {
	const cached, first, cells, common = 6, 2, 320, 256
	onEachLevel(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			group            []int32 // of all streams of the cache
			from, to         int     // streams that are attended
			copied, readOnce bool    // and what the last two have in common is read once
		}{
			"a part of the cache":                   {[]int32{0, 0, -1, -1, 4, 4}, first, cached, false, true},
			"a part, where the first streams share": {[]int32{0, 0, -1, -1, -1, -1}, first, cached, false, false},
			"a copied part":                         {[]int32{0, 0, 2, 2, 2, 2}, first, cached, true, false},
			"all of it, copied":                     {[]int32{-1, -1, -1, -1, 4, 4}, 0, cached, true, true},
		} {
			t.Run(name, func(t *testing.T) {
				a, _, _ := attentionOf(19, of(64, 4, 2, 1, cells, cached), 290)
				size := len(a.Key) / cached
				if test.readOnce {
					copy(a.Key[5*size:][:common*size/cells], a.Key[4*size:])
					copy(a.Value[5*size:][:common*size/cells], a.Value[4*size:])
				}
				want := kernelstest.Scalar(a)[test.from*a.Heads*a.Height:]
				a.Streams, a.First, a.Cached, a.Copied = test.to-test.from, test.from, cached, test.copied
				a.Query, a.Mask = a.Query[test.from*a.Heads*a.Width:], a.Mask[test.from*cells:]
				a.Group, a.Length = test.group, []int32{common, 0, common, 0, common, 0}
				if test.readOnce {
					clear(a.Key[5*size:][:common*size/cells])
				}
				if test.copied {
					a.Key, a.Value = a.Key[test.from*size:], a.Value[test.from*size:]
				}
				got := computed(t, a, 2, 1)
				i := differs(got, want)
				assert.Check(t, i < 0, "stream %d gets others' numbers, or reads twice what it shares", test.from+i/a.Heads/a.Height)
			})
		}
	})
}

// Who computes it is told after the memory is set aside: it suffices for both. ggml's part depends on the widths alone, and
// what has more streams than llama.cpp is always ggml's.
func TestAttentionHasRoomForGgml(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, shape := range []kernelstest.Attention{of(64, 4, 4, 1, 64, 1), of(16, 1, 1, 1, 8192, 1), of(256, 16, 2, 512, 4096, 4)} {
			for _, threads := range []int{1, 7, 64} {
				theirs := shape
				theirs.Streams = 257
				got, want := shape.WorkSize(threads), theirs.WorkSize(threads)
				assert.Check(t, got >= want && want != 0, "%+v on %d threads: %d bytes, ggml needs %d", shape, threads, got, want)
			}
		}
	})
}
