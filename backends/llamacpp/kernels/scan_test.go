//go:build cgo

package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

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
			sameBits(t, scan, name)
			ours, ggml := errorsOfScan(t, scan)
			t.Logf("%s: off by %.3g, ggml's by %.3g: %.3f", name, ours, ggml, ours/ggml)
			if ours > 1.1*ggml {
				t.Errorf("%s: off by %.3g, ggml's by %.3g", name, ours, ggml)
			}
		}
	})
}

// errorsOfScan are the root mean squares of how far our outputs and states are off, and ggml's.
func errorsOfScan(t *testing.T, scan kernelstest.Scan) (ours, ggml float64) {
	t.Helper()
	want := exactScan(scan)
	rms := func(ours bool) float64 {
		scan.Ours = ours
		got := computed(t, scan, 1, 1)
		sum := 0.0
		for i, w := range want {
			sum += (float64(got[i]) - w) * (float64(got[i]) - w)
		}
		return math.Sqrt(sum / float64(len(want)))
	}
	return rms(true), rms(false)
}

func exactScan(s kernelstest.Scan) []float64 {
	result := make([]float64, len(s.Values)+len(s.States))
	for i, v := range s.States {
		result[len(s.Values)+i] = float64(v)
	}
	for at, step := range s.Steps {
		head, token, sequence := at%s.Heads, at/s.Heads, at/s.Heads/s.Tokens
		group := token*s.Groups + head/(s.Heads/s.Groups)
		size := math.Log1p(math.Exp(float64(step)))
		for row := range s.Rows {
			states := result[len(s.Values)+((sequence*s.Heads+head)*s.Rows+row)*s.Width:][:s.Width]
			for i := range states {
				decay := s.Decays[head]
				if !s.OneDecay {
					decay = s.Decays[head*s.Width+i]
				}
				input := float64(s.Inputs[group*s.Width+i]) * float64(s.Values[at*s.Rows+row]) * size
				states[i] = states[i]*math.Exp(size*float64(decay)) + input
				result[at*s.Rows+row] += states[i] * float64(s.Asked[group*s.Width+i])
			}
		}
	}
	return result
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

func BenchmarkScans(b *testing.B) {
	for shape, scan := range map[string]kernelstest.Scan{
		"mamba": scanOf(16, 1, 1536, 1, 128, 1, false), "mamba, a token": scanOf(16, 1, 1536, 1, 1, 1, false),
		"mamba 2": scanOf(128, 64, 24, 1, 128, 1, true), "mamba 2, a token": scanOf(128, 64, 24, 1, 1, 1, true),
	} {
		benchmarkBoth(b, shape, 4, func(ours bool) kernelstest.Operation {
			scan.Ours = ours
			return scan
		})
	}
}

func BenchmarkConvolutions(b *testing.B) {
	for shape, convolution := range map[string]kernelstest.Convolution{
		"128 tokens": convolutionOf(1536, 128, 1), "a token": convolutionOf(1536, 1, 8),
	} {
		benchmarkBoth(b, shape, 20, func(ours bool) kernelstest.Operation {
			convolution.Ours = ours
			return convolution
		})
	}
}
