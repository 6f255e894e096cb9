//go:build cgo

package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// broken are the first bytes of a value of a cache that is no number: infinity, minus infinity, none. Of 8 bits it is the scale of 32.
var broken = map[kernelstest.Type]struct {
	apart int
	first [][]byte
}{
	kernelstest.F16:  {2, [][]byte{{0x00, 0x7c}, {0x00, 0xfc}, {0x00, 0x7e}}},
	kernelstest.BF16: {2, [][]byte{{0x80, 0x7f}, {0x80, 0xff}, {0xc0, 0x7f}}},
	kernelstest.Q8_0: {34, [][]byte{{0x00, 0x7c}, {0x00, 0xfc}, {0x00, 0x7e}}},
}

// breakCell makes all keys or values of a cell no numbers.
func breakCell(a kernelstest.Attention, stored []byte, stream, cell int) {
	size := len(stored) / (a.Streams * a.Cells)
	kind := broken[a.Type]
	for i := (stream*a.Cells + cell) * size; i < (stream*a.Cells+cell+1)*size; i += kind.apart {
		copy(stored[i:], kind.first[cell%len(kind.first)])
	}
}

// masks say whether a token of a stream, one of so many after all others, sees a cell.
var masks = map[string]func(stream, token, cell, before int) bool{
	"the past":     func(_, token, cell, before int) bool { return cell <= before+token },
	"a window":     func(_, token, cell, before int) bool { return cell <= before+token && cell > before+token-100 },
	"the future":   func(_, token, cell, before int) bool { return cell >= before+token },
	"other slots'": func(stream, token, cell, before int) bool { return cell%5 == stream%5 && cell <= before+token },
	"with holes": func(stream, token, cell, before int) bool {
		r := rand.New(rand.NewPCG(uint64(cell), uint64(stream)))
		return r.IntN(4) > 0 && (cell+7*token)%5 > 0 && cell <= before+token
	},
	"a whole block none sees": func(_, token, cell, before int) bool { return cell/64 != 1 && cell <= before+token },
}

// seesAny says whether a token of those streams that read a stream's cell sees it.
func seesAny(a kernelstest.Attention, stream, cell int) bool {
	for s := range a.Streams {
		shares := a.Group != nil && a.Group[s] == a.Group[stream] && cell < int(a.Length[a.Group[s]])/64*64
		for token := range a.Tokens {
			if (s == stream || shares) && a.Mask[(s*a.Tokens+token)*a.Cells+cell] != hidden {
				return true
			}
		}
	}
	return false
}

// What lies in a cell that a token does not see never reaches its result, wherever in a block the cell is and whoever else sees it: with
// a few rows and with many, shared by streams or not, in all chunks of the cache.
func TestWhatIsHiddenReachesNoResult(t *testing.T) {
	capped, biased, padded, eight := of(64, 4, 2, 1, 320, 3), of(64, 4, 2, 20, 320, 1), of(80, 3, 1, 9, 300, 2), of(64, 4, 2, 20, 320, 2)
	capped.Cap, biased.Bias, eight.Type = 5, 8, kernelstest.Q8_0
	half, shared, sharedByMany := of(64, 4, 2, 3, 320, 2), of(64, 4, 2, 1, 320, 3), of(64, 8, 1, 7, 320, 3)
	half.Type = kernelstest.BF16
	shared.Group, shared.Length = []int32{0, 0, 0}, []int32{256, 0, 0}
	sharedByMany.Group, sharedByMany.Length = shared.Group, []int32{200, 0, 0}
	onEachLevel(t, func(t *testing.T) {
		for name, shape := range map[string]kernelstest.Attention{
			"one row": of(64, 1, 1, 1, 320, 1), "few rows": of(64, 4, 2, 1, 320, 2), "a prompt": of(64, 4, 1, 60, 640, 1),
			"scores have a cap": capped, "a bias": biased, "no whole block": padded, "eight bits": eight, "bf16": half,
			"streams that share": shared, "prompts that share": sharedByMany,
		} {
			for sees, see := range masks {
				t.Run(fmt.Sprintf("%s/%s", name, sees), func(t *testing.T) { checkHidden(t, shape, see) })
			}
		}
	})
}

// checkHidden breaks all cells that nobody sees, and then one that some tokens see: what these get is no number, and nothing else changes.
func checkHidden(t *testing.T, shape kernelstest.Attention, sees func(stream, token, cell, before int) bool) {
	before := shape.Cells - shape.Tokens - 30
	a, _, _ := attentionOf(18, shape, before)
	for i := range a.Mask {
		switch saw := a.Mask[i] != hidden; {
		case !sees(i/a.Cells/a.Tokens, i/a.Cells%a.Tokens, i%a.Cells, before):
			a.Mask[i] = hidden
		case !saw:
			a.Mask[i] = 0
		}
	}
	for s := 1; s < a.Streams && a.Group != nil; s++ {
		common := int(a.Length[0]) * len(a.Key) / (a.Streams * a.Cells)
		copy(a.Key[s*len(a.Key)/a.Streams:], a.Key[:common])
		copy(a.Value[s*len(a.Value)/a.Streams:], a.Value[:common])
	}
	want := kernelstest.Scalar(a)
	some := -1 // a cell that some tokens see, and others do not
	for cell := range a.Cells {
		seen := 0
		for stream := range a.Streams {
			if !seesAny(a, stream, cell) {
				breakCell(a, a.Key, stream, cell)
				breakCell(a, a.Value, stream, cell)
			}
			for token := range a.Tokens {
				if a.Mask[(stream*a.Tokens+token)*a.Cells+cell] != hidden {
					seen++
				}
			}
		}
		if seen > 0 && seen < a.Streams*a.Tokens {
			some = cell
		}
	}
	i := differs(kernelstest.Scalar(a), want)
	assert.Assert(t, i < 0, "one after the other, what is hidden changes place %d", i)
	compare(t, a, want, -1)
	if some >= 0 {
		for stream := range a.Streams {
			breakCell(a, a.Value, stream, some)
		}
		compare(t, a, want, some)
	}
}

// compare checks that an attention is what it is to be, but for the tokens that see a cell whose values are no numbers.
func compare(t *testing.T, a kernelstest.Attention, want []float32, cell int) {
	t.Helper()
	for _, threads := range []int{1, 5} {
		got := computed(t, a, threads, 1)
		for i, f := range got {
			token := i / a.Height / a.Heads // of all streams
			sees := cell >= 0 && a.Mask[token*a.Cells+cell] != hidden
			if sees && isFinite(f) || !sees && f != want[i] {
				t.Fatalf("%d threads, cell %d broken: place %d of head %d of token %d of stream %d is %v instead of %v",
					threads, cell, i%a.Height, i/a.Height%a.Heads, token%a.Tokens, token/a.Tokens, f, want[i])
			}
		}
	}
}
