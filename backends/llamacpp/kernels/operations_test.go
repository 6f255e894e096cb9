//go:build cgo

package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// byRowOf returns an operation of rows of values that are so far apart.
func byRowOf(name string, width, rows int, apart float32) kernelstest.ByRow {
	r := rand.New(rand.NewPCG(19, uint64(width)))
	op := kernelstest.ByRow{Name: name, Width: width, Rows: normal(r, width*rows), Ours: true}
	for i := range op.Rows {
		op.Rows[i] *= apart
	}
	if name == "swiglu" || name == "swiglu_oai" {
		op.Gates = normal(r, width*rows)
	}
	return op
}

// exactly is what the operations of single values give in doubles.
var exactly = map[string]func(x, gate float64) float64{
	"silu":     func(x, _ float64) float64 { return x / (1 + math.Exp(-x)) },
	"sigmoid":  func(x, _ float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"tanh":     func(x, _ float64) float64 { return math.Tanh(x) },
	"exp":      func(x, _ float64) float64 { return math.Exp(x) },
	"softplus": func(x, _ float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
	"swiglu":   func(x, gate float64) float64 { return x / (1 + math.Exp(-x)) * gate },
	"swiglu_oai": func(x, gate float64) float64 {
		x, gate = min(x, 7), max(-7, min(gate, 7))
		return x / (1 + math.Exp(-x*float64(float32(1.702)))) * (gate + 1)
	},
}

// exactRows is the operation's result in doubles.
func exactRows(op kernelstest.ByRow) []float64 {
	result := make([]float64, len(op.Rows))
	for first := 0; first < len(op.Rows); first += op.Width {
		row, to := op.Rows[first:][:op.Width], result[first:][:op.Width]
		sum, squares, peak := 0.0, 0.0, math.Inf(-1)
		for _, v := range row {
			sum += float64(v)
			peak = max(peak, float64(v))
		}
		mean := sum / float64(op.Width)
		sum = 0
		for _, v := range row {
			squares += (float64(v) - mean) * (float64(v) - mean)
			sum += math.Exp(float64(v) - peak)
		}
		for i, v := range row {
			switch op.Name {
			case "norm":
				to[i] = (float64(v) - mean) / math.Sqrt(squares/float64(op.Width)+float64(float32(1e-5)))
			case "soft_max":
				to[i] = math.Exp(float64(v)-peak) / sum
			default:
				gate := 0.0
				if op.Gates != nil {
					gate = float64(op.Gates[first+i])
				}
				to[i] = exactly[op.Name](float64(v), gate)
			}
		}
	}
	return result
}

// errorOf is the root mean square of how far results are off, each measured by its own size, of a norm
// by their mean size. Next to nothing, of which a float has fewer places or none, is measured as 1e-30.
func errorOf(name string, got []float32, want []float64) float64 {
	sum := 0.0
	for i, w := range want {
		off := float64(got[i]) - w
		if name != "norm" {
			off /= max(math.Abs(w), 1e-30)
		}
		sum += off * off
	}
	return math.Sqrt(sum / float64(len(want)))
}

var byRow = []string{"silu", "sigmoid", "tanh", "exp", "softplus", "swiglu", "swiglu_oai", "soft_max", "norm"}

// Operations of rows have the bits of one number after the other at every level, on 1 to 3 threads, whatever rows are beside them
// and however wide they are; and they are as exact as ggml's.
func TestOperationsOfRowsHaveTheSameBitsOnEveryLevel(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, name := range byRow {
			for _, width := range []int{1, 8, 17, 64, 100, 512, 1500} {
				for _, apart := range []float32{0.1, 1, 4, 40} {
					for _, rows := range []int{1, 5} {
						sameBits(t, byRowOf(name, width, rows, apart), fmt.Sprintf("%s, %d rows of %d, %v apart", name, rows, width, apart))
					}
				}
			}
		}
	})
}

func TestOperationsOfRowsAreAsExactAsGGMLs(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, name := range byRow {
			for _, apart := range []float32{0.1, 0.3, 1} {
				op := byRowOf(name, 512, 200, apart)
				if name == "norm" {
					for i := range op.Rows {
						op.Rows[i] += 1 // about which they lie
					}
				}
				want := exactRows(op)
				ours := errorOf(name, computed(t, op, 2, 1), want)
				op.Ours = false
				ggml := errorOf(name, computed(t, op, 2, 1), want)
				t.Logf("%s of values %v apart: off by %.3g, ggml's by %.3g: %.3f", name, apart, ours, ggml, ours/ggml)
				assert.Check(t, ours <= 1.1*ggml, "%s of values %v apart is off by %.3g, ggml's by %.3g", name, apart, ours, ggml)
			}
		}
	})
}

// What is no number stays none, and makes no other row none; the largest values and the smallest have their limits.
func TestFunctionsOfWhatIsNoNumber(t *testing.T) {
	inf := float32(math.Inf(1))
	onEachLevel(t, func(t *testing.T) {
		for name, limits := range map[string][2]float32{ // of the largest negative number and of the largest
			"silu": {0, math.MaxFloat32}, "sigmoid": {0, 1}, "tanh": {-1, 1}, "exp": {0, inf}, "softplus": {0, math.MaxFloat32},
		} {
			op := byRowOf(name, 20, 3, 1)
			copy(op.Rows[20:], []float32{nonFinite[0], -math.MaxFloat32, math.MaxFloat32})
			got := computed(t, op, 1, 1)
			assert.Check(t, !isFinite(got[20]) && got[21] == limits[0] && got[22] == limits[1],
				"%s of no number and of the largest is %v", name, got[20:23])
		}
		for _, name := range []string{"soft_max", "norm"} {
			op := byRowOf(name, 40, 3, 1)
			for _, value := range nonFinite[:2] {
				for _, place := range []int{0, 17, 39} {
					broken := byRowOf(name, 40, 3, 1)
					broken.Rows[40+place] = value
					got, want := computed(t, broken, 1, 1), computed(t, op, 1, 1)
					assert.Check(t, !isFinite(got[40]) && differs(got[:40], want) < 0 && differs(got[80:], want[80:]) < 0,
						"%s of a row with %v gives %v", name, value, got)
				}
			}
		}
	})
}

// Products of floats that are not packed have the bits of one number after the other at every level, of one matrix, of several and
// of experts.
func TestProductsOfUnpackedFloatsHaveTheSameBitsOnEveryLevel(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		for _, kind := range []kernelstest.Type{kernelstest.F32, kernelstest.F16, kernelstest.BF16} {
			for _, width := range []int{3, 16, 40, 64, 256} {
				for _, experts := range [][]int32{nil, {2, 0}, {1}} {
					for _, matrices := range []int{1, 3} {
						const rows, columns = 39, 18
						p := productOf(kind, 22, width, matrices*rows, columns)
						p.Buffer, p.Rows, p.Matrices, p.Ours = plain, rows, matrices, true
						for i := 0; matrices > 1 && i < columns*len(experts); i++ {
							p.Experts = append(p.Experts, (experts[i%len(experts)]+int32(i/len(experts)))%int32(matrices))
						}
						sameBits(t, p, fmt.Sprintf("%v, %d values, %d matrices, experts %v", kind, width, matrices, experts))
					}
				}
			}
		}
	})
}

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

func scanOf(width, rows, heads, groups, tokens, sequences int, oneDecay bool) kernelstest.Scan {
	r := rand.New(rand.NewPCG(20, uint64(width*heads)))
	s := kernelstest.Scan{
		Width: width, Rows: rows, Heads: heads, Groups: groups, Tokens: tokens, Sequences: sequences, OneDecay: oneDecay, Ours: true,
		States: normal(r, sequences*heads*rows*width), Values: normal(r, sequences*tokens*heads*rows),
		Steps: normal(r, sequences*tokens*heads), Decays: normal(r, heads*width),
		Inputs: normal(r, sequences*tokens*groups*width), Queries: normal(r, sequences*tokens*groups*width),
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
