//go:build cgo

package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

func scanOf(width, rows, heads, groups, tokens, sequences int, oneDecay bool) kernelstest.Scan {
	r := rand.New(rand.NewPCG(20, uint64(width*heads)))
	s := kernelstest.Scan{
		Width: width, Rows: rows, Heads: heads, Groups: groups, Tokens: tokens, Sequences: sequences, OneDecay: oneDecay, Ours: true,
		States: normal(r, sequences*heads*rows*width), Values: normal(r, sequences*tokens*heads*rows),
		Steps: normal(r, sequences*tokens*heads), Decays: normal(r, heads*width),
		Inputs: normal(r, sequences*tokens*groups*width), Asked: normal(r, sequences*tokens*groups*width),
	}
	for i := range s.Decays {
		s.Decays[i] = -float32(math.Abs(float64(s.Decays[i])))
	}
	if oneDecay {
		s.Decays = s.Decays[:heads]
	}
	return s
}

var scans = map[string]kernelstest.Scan{
	"a decay of each state": scanOf(16, 1, 70, 1, 3, 2, false),
	"one for a head":        scanOf(128, 16, 20, 2, 5, 1, true),
	"many tokens":           scanOf(32, 2, 4, 1, 150, 1, true),
	"odd widths":            scanOf(13, 3, 17, 1, 4, 2, false),
}

// Scans have the bits of one number after the other at every level, on 1 to 3 threads; and they are ggml's but for roundings.
func TestScansHaveTheSameBitsOnEveryLevel(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for name, scan := range scans {
			ours := sameBits(t, scan, name)
			scan.Ours = false
			off := distance(ours, computed(t, scan, 1, 1))
			assert.Check(t, off < 1e-6, "%s: off from ggml's by %.3g of the values", name, off)
		}
	})
}

func convolutionOf(channels, tokens, sequences int) kernelstest.Convolution {
	const each = 4
	r := rand.New(rand.NewPCG(21, uint64(channels)))
	return kernelstest.Convolution{
		Each: each, Channels: channels, Tokens: tokens, Sequences: sequences, Ours: true,
		From: normal(r, sequences*channels*(tokens+each-1)), Weights: normal(r, channels*each),
	}
}

func TestConvolutionsHaveTheSameBitsOnEveryLevel(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, v := range []kernelstest.Convolution{convolutionOf(48, 1, 3), convolutionOf(70, 37, 2), convolutionOf(16, 16, 1)} {
			sameBits(t, v, fmt.Sprintf("%d channels of %d tokens", v.Channels, v.Tokens))
		}
	})
}
