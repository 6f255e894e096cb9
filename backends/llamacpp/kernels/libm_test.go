//go:build cgo

package kernels_test

import (
	"debug/elf"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/llamacpp/kernels/kernelstest"
)

// A function of floats gives the float that is nearest to its value, or one as near to a ten-thousandth, whatever C library there is:
// Go's own functions of doubles, which no library computes, say what the value is.
func TestFunctionsOfFloatsAreRoundedWhateverTheCLibrary(t *testing.T) {
	for name, f := range kernelstest.Functions {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(16, 1))
			for range 200_000 {
				x := f.From + (f.To-f.From)*r.Float32()
				got, want := f.C(x), f.Go(float64(x))
				place := float64(math.Nextafter32(got, math.MaxFloat32) - got)
				if math.Abs(float64(got)-want) > 0.5001*place {
					t.Fatalf("of %v it is %v, and not %v", x, got, want)
				}
			}
		})
	}
}

// Nothing that ggml computes with is left to the C library, but what is exact in all of them.
func TestNoFunctionOfFloatsIsTheCLibrarys(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the program is no ELF file")
	}
	path, err := os.Executable()
	assert.NilError(t, err)
	symbols, err := openELF(t, path).ImportedSymbols()
	assert.NilError(t, err)
	others := []string{"erf", // of doubles, and what is exact
		"ceilf", "fabsf", "floorf", "fmaf", "fmaxf", "fminf", "fmodf", "ldexpf", "lrintf", "lroundf", "nearbyintf", "rintf", "roundf",
		"sqrtf", "truncf"}
	ofLibm := func(s elf.ImportedSymbol) bool { return s.Library == "libm.so.6" }
	if !slices.ContainsFunc(symbols, ofLibm) {
		t.Skip("the C library is not glibc: the program does not tell what it takes from it")
	}
	for _, s := range symbols {
		if ofLibm(s) && strings.HasSuffix(s.Name, "f") && !slices.Contains(others, s.Name) {
			t.Errorf("%s is the C library's: give it in libm.c", s.Name)
		}
	}
}
