//go:build cgo

package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
	"proctor/scripts/tests/sharedtest"
)

// levels are those that this CPU can compute with; where there are none, the test is skipped.
func levels(tb testing.TB) []string {
	tb.Helper()
	if !kernels.Available() {
		tb.Skip("there are no kernels for this CPU")
	}
	return kernels.Levels()
}

// onEachLevel runs a test with the best level of this CPU; a thorough one with every level that it has, and with a model of level amx.
func onEachLevel(t *testing.T, test func(*testing.T)) {
	t.Helper()
	for _, level := range sharedtest.Few(1, levels(t)) {
		kernels.Use(level)
		t.Run(level, test)
	}
	if sharedtest.Thorough() && kernelstest.UseAMXModel() {
		t.Run("amx, a model", test)
	}
}

// valueBytes are where a type has its values among the bytes of a block.
var valueBytes = map[kernelstest.Type]struct{ block, first, end int }{
	kernelstest.Q4_0: {18, 2, 18}, kernelstest.Q4_1: {20, 4, 20}, kernelstest.Q5_0: {22, 2, 22}, kernelstest.Q5_1: {24, 4, 24},
	kernelstest.Q8_0: {34, 2, 34}, kernelstest.IQ4_NL: {18, 2, 18}, kernelstest.MXFP4: {17, 1, 17},
	kernelstest.Q2_K: {84, 16, 80}, kernelstest.Q3_K: {110, 0, 96}, kernelstest.Q4_K: {144, 16, 144},
	kernelstest.Q5_K: {176, 16, 176}, kernelstest.Q6_K: {210, 0, 192}, kernelstest.IQ4_XS: {136, 8, 136},
}

// Every level computes what is written down for one number after the other, to the bit, for 1 to 33 columns, also where all
// weights and all activations are as large as they get: no sum of bytes' products is cut off.
func TestProductsHaveTheSameBitsOnEveryLevel(t *testing.T) {
	const width, rows, columns = 768, 39, 33
	products := make([]kernelstest.Product, len(weightTypes))
	want := make([][]float32, len(weightTypes))
	for k, kind := range weightTypes {
		r := rand.New(rand.NewPCG(16, uint64(k)))
		stored, _ := kernelstest.Store(kind, width, normal(r, rows*width))
		rowBytes := len(stored) / rows
		if at, ok := valueBytes[kind]; ok {
			for row, value := range []byte{0x00, 0xff, 0x80, 0x7f} {
				for i := range rowBytes {
					if i%at.block >= at.first && i%at.block < at.end {
						stored[row*rowBytes+i] = value
					}
				}
			}
		}
		products[k] = kernelstest.Product{
			Type: kind, Buffer: own, Width: width, Weights: stored, Rows: rows, Activations: normal(r, columns*width),
		}
		for i := range 4 * 192 { // of the first column, also almost nothing, and nothing
			products[k].Activations[i] = []float32{4, -4, 1e-44, 0}[i/192]
		}
		want[k] = kernelstest.Scalar(products[k])
	}
	onEachLevel(t, func(t *testing.T) {
		for k, all := range products {
			for n := 1; n <= columns; n++ {
				p := all
				p.Activations = all.Activations[:n*width]
				got := computed(t, p, 2, 1)
				if i := differs(got, want[k]); i >= 0 {
					t.Fatalf("%v, %d columns: row %d of column %d is %v, one after the other %v",
						p.Type, n, i%rows, i/rows, got[i], want[k][i])
				}
			}
		}
	})
}

// Attention has the bits of one number after the other at every level, whatever chunks of the cache threads take; and these are what it
// is defined to be, but for roundings.
func TestAttentionHasTheSameBitsOnEveryLevel(t *testing.T) {
	shapes := attentionShapes()
	wants := map[string][]float32{}
	for name, test := range shapes {
		a, keys, values := attentionOf(5, test.Attention, test.before)
		a.Scale *= test.steep
		if test.sinks {
			a.Sinks = normal(rand.New(rand.NewPCG(6, 6)), a.Heads)
		}
		test.Attention, wants[name] = a, kernelstest.Scalar(a)
		shapes[name] = test
		defined := test.steep == 1 && (a.Bias == 0 || a.Heads&(a.Heads-1) == 0) // softmax has slopes of powers of two
		off := distance(wants[name], softmax(a, test.before, keys, values))
		assert.Check(t, !defined || off < 2e-6, "%s: off by %.2g of the values", name, off)
	}
	onEachLevel(t, func(t *testing.T) {
		for name, test := range shapes {
			for _, threads := range []int{1, 5} {
				got := computed(t, test.Attention, threads, 1)
				if i := differs(got, wants[name]); i >= 0 {
					t.Errorf("%s, %d threads: place %d of head %d is %v, one after the other %v",
						name, threads, i%test.Height, i/test.Height%test.Heads, got[i], wants[name][i])
				}
			}
		}
	})
}

// attending is an attention to compute.
type attending struct {
	kernelstest.Attention
	before int // cells before the tokens, which all of them see; -1: there is no mask
	sinks  bool
	steep  float32 // factor on the scores
}

func attentionShapes() map[string]attending {
	biased, slopes, capped, narrow := of(64, 6, 6, 6, 128, 1), of(64, 8, 8, 6, 128, 1), of(64, 4, 2, 6, 128, 1), of(192, 4, 4, 5, 128, 1)
	biased.Bias, slopes.Bias, capped.Cap, narrow.Height = 8, 8, 5, 128
	eight, four := of(64, 4, 2, 6, 192, 2), of(128, 4, 2, 6, 192, 2)
	eight.Type, four.Type = kernelstest.Q8_0, kernelstest.Q4_0
	odd, floats := of(72, 4, 2, 6, 192, 1), of(64, 4, 2, 6, 128, 1)
	odd.Type, odd.Height, floats.Type = kernelstest.BF16, 40, kernelstest.F32
	shapes := map[string]attending{
		"one token":            {of(64, 4, 4, 1, 64, 1), 10, false, 1},
		"a prompt":             {of(64, 8, 2, 70, 600, 1), 500, false, 1},
		"a first prompt":       {of(64, 8, 2, 200, 256, 1), 0, false, 1},
		"without a mask":       {of(64, 4, 2, 3, 100, 1), -1, false, 1},
		"several streams":      {of(80, 6, 2, 1, 666, 5), 600, true, 1},
		"no whole block":       {of(80, 5, 1, 9, 75, 2), 60, false, 1},
		"scores far apart":     {of(128, 8, 2, 7, 256, 2), 200, false, 40},
		"a bias by distance":   {biased, 70, false, 1},
		"a bias of 8 heads":    {slopes, 70, false, 1},
		"scores have a cap":    {capped, 70, false, 1},
		"values are narrower":  {narrow, 90, true, 1},
		"eight-bit cache":      {eight, 150, false, 1},
		"four-bit cache":       {four, 150, false, 1},
		"heads of 24":          {of(24, 10, 5, 40, 330, 2), 280, true, 1},
		"a token, heads of 9":  {of(9, 4, 2, 1, 333, 2), 290, false, 1},
		"heads of 72, bf16":    {odd, 90, false, 1},
		"a cache of floats":    {floats, 60, false, 1},
		"one head for all":     {of(256, 16, 1, 20, 128, 1), 90, false, 1},
		"200 heads for one":    {of(32, 200, 1, 3, 300, 2), 250, false, 1},
		"more tokens than fit": {of(64, 64, 1, 7, 64, 1), 40, false, 1},
	}
	for heads := range 10 {
		shapes[fmt.Sprintf("%d heads for one", heads+1)] = attending{of(80, heads+1, 1, 1, 330, 2), 310, false, 1}
	}
	return shapes
}

// computed is what an operation gives; the test ends where it cannot be computed.
func computed(t testing.TB, o kernelstest.Operation, threads, times int) []float32 {
	t.Helper()
	result, err := kernelstest.Compute(o, threads, times)
	assert.NilError(t, err)
	return result
}

// sameBits fails where an operation, on 1 to 3 threads, has other bits than one number after the other, which it returns.
func sameBits(t *testing.T, o kernelstest.Operation, name string) (want []float32) {
	t.Helper()
	want = kernelstest.Scalar(o)
	for threads := 1; threads <= 3; threads++ {
		got := computed(t, o, threads, 1)
		if i := differs(got, want); i >= 0 {
			t.Fatalf("%s, %d threads: value %d is %v, one after the other %v", name, threads, i, got[i], want[i])
		}
	}
	return want
}

// differs returns the first place where two results are not the same; -1 where there is none.
func differs(a, b []float32) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

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
					kernels.Multiply(int(kind), n, multiplies)
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

// What multiplies a type is measured when its first weights are packed, and stays when others are: a model may be computing with them.
// Small matrices, and other types, are left to the CPU's level, as is everything once a level is taken.
func TestTheLevelsThatMultiplyATypeAreMeasuredWithItsFirstWeights(t *testing.T) {
	const width, rows = 576, 320
	levels := kernels.Levels()
	if len(levels) < 2 {
		t.Skip("this CPU has fewer than two levels, or one is forced")
	}
	defer kernels.Use(levels[0])
	other := levels[len(levels)-1]
	kernels.Use(other)
	kernels.Measure()
	multiplied := func(kind kernelstest.Type, rows int) {
		p := productOf(kind, 26, width, rows, 3)
		assert.Equal(t, differs(computed(t, p, 2, 1), kernelstest.Scalar(p)), -1)
	}
	multiplied(kernelstest.Q8_0, 16)
	multiplied(kernelstest.Q8_0, rows) // too late
	for _, columns := range []int{1, 2, 32, 33, 5000} {
		assert.Check(t, is.Equal(kernels.Multiplier(int(kernelstest.Q8_0), columns), other), "%d columns", columns)
		assert.Check(t, is.Equal(kernels.Multiplier(int(kernelstest.Q4_0), columns), ""), "%d columns: there are no such weights", columns)
	}
	multiplied(kernelstest.Q4_1, rows)
	for _, columns := range []int{1, 16, 64} {
		by := kernels.Multiplier(int(kernelstest.Q4_1), columns)
		assert.Check(t, slices.Contains(levels, by), "%d columns are multiplied by %q, which this CPU does not have", columns, by)
		t.Logf("%d columns: %s", columns, by)
	}
}

const allTaken = "takes MUL_MAT MUL_MAT_ID FLASH_ATTN_EXT SET_ROWS ROPE RMS_NORM NORM SOFT_MAX GLU UNARY"

// changes are functions of a ggml that is another one's, and what is said of it.
var changes = map[string]string{
	"":                                allTaken,
	"ggml_rope_ext":                   strings.Replace(allTaken, " ROPE", "", 1),
	"ggml_op_name":                    strings.Replace(allTaken, " MUL_MAT_ID", "", 1),
	"ggml_tensor_overhead":            "its tensors take 376 bytes, not 368",
	"ggml_type_name":                  "its type 12 is not q4_K",
	"ggml_view_1d":                    "its views have other fields",
	"ggml_backend_buft_get_alignment": "its buffer types have other functions",
	"ggml_backend_tensor_set":         "its buffers have other functions",
	"ggml_threadpool_chunk_add":       "its threads are told otherwise what to compute",
	"ggml_barrier":                    "it has no ggml_barrier",
	"larger buffer types":             allTaken,
	"an added function of buffers":    "its buffer types have a function that is not known, at 2",
}

// A ggml that has changed is refused before anything is computed with it, or what has changed is left to it.
func TestWhatIsOtherwiseInAGGMLIsRefused(t *testing.T) {
	for changed, want := range changes {
		got := kernelstest.LibraryWith(changed)
		assert.Check(t, got == want, "with another %q: %q, want %q", changed, got, want)
	}
	err := kernels.Add(0)
	assert.Check(t, err != nil, "nothing was taken for a ggml")
}
