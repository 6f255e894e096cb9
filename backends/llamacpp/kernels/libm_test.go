//go:build cgo

package kernels_test

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"go/build"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
				assert.Assert(t, math.Abs(float64(got)-want) <= 0.5001*place, "of %v it is %v, and not %v", x, got, want)
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

// No function of floats calls one of them, itself least of all, with whatever flags the compiler is given: it may know what a sine
// and a cosine together are, or that of a sine of doubles only the float is wanted.
func TestNoFunctionOfFloatsCallsItself(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the compiler makes no ELF file")
	}
	here, err := build.ImportDir(".", 0)
	assert.NilError(t, err)
	for _, flags := range []string{"-O0", "-O1", "-O3", "-O3 -fno-inline", "-O3 -funsafe-math-optimizations"} {
		t.Run(flags, func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "libm.o")
			arguments := slices.Concat(strings.Fields(flags), here.CgoCFLAGS, []string{"-D_GNU_SOURCE", "-c", "libm.c", "-o", object})
			cc := strings.Fields(cmp.Or(os.Getenv("CC"), "gcc"))
			output, err := exec.Command(cc[0], append(cc[1:], arguments...)...).CombinedOutput()
			assert.Assert(t, err == nil, "%v: %s", err, output)
			checkCalls(t, object)
		})
	}
}

// openELF opens an object file or a program, for the length of a test.
func openELF(t *testing.T, path string) *elf.File {
	t.Helper()
	file, err := elf.Open(path)
	assert.NilError(t, err)
	t.Cleanup(func() { file.Close() })
	return file
}

// checkCalls fails the test where a function of an object file calls one that the file has, or no function calls that of doubles: what
// calls itself at its end is compiled to a loop.
func checkCalls(t *testing.T, object string) {
	t.Helper()
	file := openELF(t, object)
	symbols, err := file.Symbols()
	assert.NilError(t, err)
	for _, name := range []string{"cos", "erf", "exp", "exp2", "expm1", "log", "log1p", "log2", "pow", "sin", "tanh"} {
		assert.Check(t, slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section == elf.SHN_UNDEF }),
			"nothing calls %s of doubles", name)
	}
	for _, section := range file.Sections {
		if section.Type != elf.SHT_RELA {
			continue
		}
		calls := make([]elf.Rela64, section.Size/section.Entsize)
		assert.NilError(t, binary.Read(section.Open(), file.ByteOrder, calls))
		for _, call := range calls {
			s := symbols[elf.R_SYM64(call.Info)-1] // the first symbol of a file is none, and left out
			assert.Check(t, elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF, "%s is called", s.Name)
		}
	}
}
