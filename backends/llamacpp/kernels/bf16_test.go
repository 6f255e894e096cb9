//go:build cgo

package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/kernels/kernelstest"
)

// bf16Attention is how far a prompt's attention with level bf16 may be off, of the values.
const bf16Attention = 0.012

// onBF16 runs a test with level amx-bf16 where this CPU has it, and with a model of it.
func onBF16(t *testing.T, test func(*testing.T)) {
	t.Helper()
	if kernels.Available() && kernels.Check(kernels.AMXBF16) == nil {
		t.Run(kernels.AMXBF16, test)
	}
	undo, uses := kernelstest.UseAMXBF16Model()
	if !uses {
		t.Skip("there are no kernels for this CPU")
	}
	defer undo()
	t.Run("a model", test)
}

// promptOf is a product with a prompt's tokens.
func promptOf(kind kernelstest.Type, width, rows, columns int) (p kernelstest.Product, weights []float32) {
	r := rand.New(rand.NewPCG(21, uint64(kind)))
	stored, weights := kernelstest.Store(kind, width, normal(r, rows*width))
	return kernelstest.Product{
		Type: kind, Buffer: own, Width: width, Weights: stored, Rows: rows, Activations: normal(r, columns*width), Prompt: true,
	}, weights
}

// A prompt's token is computed as it is written down for one number after the other, to the bit, for 1 to 71 columns; a drawn one
// as on every other level. Some activations are too small for a normal float, and some products.
func TestPromptsAreMultipliedAsBF16AndDrawnTokensAsOnEveryLevel(t *testing.T) {
	const width, rows, columns = 768, 39, 71
	onBF16(t, func(t *testing.T) {
		for _, kind := range weightTypes {
			t.Run(kind.String(), func(t *testing.T) {
				p, _ := promptOf(kind, width, rows, columns)
				for i := range 4 * 192 {
					p.Activations[i] *= []float32{1e-40, 1e-37, 0, 1e30}[i/192]
				}
				drawn := p
				drawn.Prompt = false
				for _, all := range []kernelstest.Product{p, drawn} {
					want := kernelstest.Scalar(all)
					for _, n := range []int{1, 2, 15, 16, 17, 31, 32, 33, 48, 49, columns} {
						some := all
						some.Activations = all.Activations[:n*width]
						got := computed(t, some, 2, 1)
						if i := differs(got, want); i >= 0 {
							t.Fatalf("prompt %v, %d columns: row %d of column %d is %v, one after the other %v",
								all.Prompt, n, i%rows, i/rows, got[i], want[i])
						}
					}
				}
			})
		}
	})
}

func TestProductsOfPromptsAreAsExactAsThoseOfGgml(t *testing.T) {
	onBF16(t, func(t *testing.T) {
		for _, kind := range weightTypes {
			for _, shape := range []struct{ width, rows, columns int }{{256, 45, 7}, {1280, 32, 8}, {4096, 64, 70}} {
				p, weights := promptOf(kind, shape.width, shape.rows, shape.columns)
				got := computed(t, p, 2, 1)
				p.Buffer, p.Prompt = plain, false
				ggml := computed(t, p, 1, 1)
				want := exact(p, weights)
				if ours, theirs := distance(got, want), distance(ggml, want); ours > max(1.1*theirs, floatSums) {
					t.Errorf("%v %d×%d×%d: off by %.3g of the values, ggml by %.3g",
						kind, shape.rows, shape.width, shape.columns, ours, theirs)
				} else {
					t.Logf("%v: off by %.3g of the values, ggml by %.3g", kind, ours, theirs)
				}
			}
		}
	})
}

func TestAPromptsTokenDoesNotDependOnItsNeighbours(t *testing.T) {
	onBF16(t, func(t *testing.T) {
		const width, rows, columns = 2304, 83, 23
		for _, kind := range weightTypes {
			p, _ := promptOf(kind, width, rows, columns)
			all := computed(t, p, 3, 1)
			drawn := p
			drawn.Prompt = false
			other := computed(t, drawn, 3, 1)
			if exactly := kind == kernelstest.F32 || kind == kernelstest.F16; slices.Equal(all, other) != exactly {
				t.Errorf("%v: tokens of prompts come out as drawn ones do: %v", kind, !exactly)
			}
			eachAlone(t, p, all)
		}
	})
}

func TestExpertsOfPromptsAreTheirMatrices(t *testing.T) {
	onBF16(t, func(t *testing.T) {
		const width, rows, experts, columns = 512, 32, 4, 19
		for _, kind := range []kernelstest.Type{kernelstest.Q4_K, kernelstest.MXFP4, kernelstest.F16} {
			all, _ := promptOf(kind, width, experts*rows, columns)
			one := all
			all.Rows, all.Matrices = rows, experts
			for c := range columns {
				all.Experts = append(all.Experts, int32(c%experts), int32((c+1)%experts))
			}
			got := computed(t, all, 2, 1)
			want := computed(t, one, 1, 1)
			for i, expert := range all.Experts {
				if part := want[i/2*one.Rows+int(expert)*rows:][:rows]; !slices.Equal(got[i*rows:][:rows], part) {
					t.Fatalf("%v: column %d with expert %d is not as with its matrix", kind, i/2, expert)
				}
			}
		}
	})
}

func TestAPromptsNumbersThatAreNoneStayNone(t *testing.T) {
	onBF16(t, func(t *testing.T) {
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), math.Float32frombits(0x7f800001)} {
			t.Run(fmt.Sprint(bad), func(t *testing.T) {
				p, _ := promptOf(kernelstest.Q4_K, 512, 32, 5)
				p.Activations[2*512+77] = bad
				got := computed(t, p, 1, 1)
				for i, x := range got {
					if finite := !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0); finite != (i/32 != 2) {
						t.Fatalf("row %d of column %d is %v", i%32, i/32, x)
					}
				}
			})
		}
	})
}

func TestPeopleAreToldOfALevelThatIsNeverChosen(t *testing.T) {
	for name, model := range map[string]func() (func(), bool){
		kernels.AMXBF16: kernelstest.UseAMXBF16Model, kernels.BF16: kernelstest.UseBF16Model,
	} {
		undo, uses := model()
		if !uses {
			t.Skip("there are no kernels for this CPU")
		}
		defer undo()
		choice, err := kernels.Choice()
		level, _ := kernels.Level()
		if err != nil || level == name || !strings.Contains(choice, name+" too, which is never chosen") {
			t.Errorf("level %s, told as %q, %v", level, choice, err)
		}
	}
}

// A prompt's attention is off by what rounding keys and values to eight binary digits makes, as amx-bf16's products are.
func TestAttentionOfPromptsIsAlmostAsExactAsThatOfGgml(t *testing.T) {
	onEachAttention(t, func(t *testing.T, prompt bool) {
		for _, shape := range []kernelstest.Attention{of(64, 8, 2, 70, 1238, 1), of(128, 4, 2, 70, 1238, 1), of(80, 4, 1, 17, 300, 2)} {
			a, keys, values := attentionOf(22, shape, shape.Cells-shape.Tokens)
			a.Prompt = prompt
			got := computed(t, a, 2, 1)
			a.Ours = false
			ggml := computed(t, a, 2, 1)
			want := softmax(a, shape.Cells-shape.Tokens, keys, values)
			ours, theirs := distance(got, want), distance(ggml, want)
			t.Logf("%d × %d: off by %.3g of the values, ggml by %.3g", a.Width, a.Cells, ours, theirs)
			if most := map[bool]float64{false: 1.1 * theirs, true: bf16Attention}[prompt]; ours > most {
				t.Errorf("%d × %d: off by %.3g of the values, ggml by %.3g", a.Width, a.Cells, ours, theirs)
			}
		}
	})
}
