//go:build cgo

package kernels_test

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

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
