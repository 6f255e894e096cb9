package llamacpp

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

// importance writes a matrix as llama-imatrix does, with made-up sums for the matrices of a model's layers, but for
// those left out.
func importance(t *testing.T, path string, leftOut func(name string) bool) string {
	t.Helper()
	model, err := gguf.Open(path)
	assert.NilError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	var w gguf.Writer
	var data bytes.Buffer
	add := func(name string, columns, rows int64, value func() float32) {
		w.Tensor(name, 0, int(4*columns*rows), uint64(columns), uint64(rows)) // of type F32
		for range columns * rows {
			assert.NilError(t, binary.Write(&data, binary.LittleEndian, value()))
		}
		data.Write(make([]byte, gguf.Aligned(data.Len())-data.Len()))
	}
	w.Text("general.type", "imatrix")
	for _, of := range model.Tensors {
		if !strings.HasPrefix(of.Name, "blk.") || len(of.Shape) < 2 || leftOut != nil && leftOut(of.Name) {
			continue
		}
		matrices := of.Elements / of.Shape[0] / of.Shape[1] // of a mixture, one an expert
		add(of.Name+".in_sum2", of.Shape[0], matrices, func() float32 { return float32(math.Exp(8 * random.Float64())) })
		add(of.Name+".counts", 1, matrices, func() float32 { return 100 })
	}
	file := filepath.Join(t.TempDir(), "imatrix.gguf")
	assert.NilError(t, os.WriteFile(file, append(w.Header(), data.Bytes()...), 0o644))
	return file
}

// floats are the elements of a tensor of a file.
func floats(t *testing.T, file *gguf.File, name string) []float32 {
	t.Helper()
	i := slices.IndexFunc(file.Tensors, func(t gguf.Tensor) bool { return t.Name == name })
	assert.Assert(t, i >= 0, "%s has no tensor %s", file.Path, name)
	values, err := file.Floats(file.Tensors[i])
	assert.NilError(t, err)
	return values
}

func TestAMatrixMustBeOfTheModel(t *testing.T) {
	path, folder := tinyPath(t), t.TempDir()
	deep := written(t, "imatrix-deep.gguf", func(m *llamatest.Model) { m.Shape.Layers = 3 })
	wide := written(t, "imatrix-wide.gguf", func(m *llamatest.Model) { m.Shape.Inner = 512 })
	matrix := importance(t, path, nil)
	for _, test := range []struct{ source, imatrix, want string }{
		{deep, matrix, "has nothing for blk.2."},
		{path, importance(t, deep, nil), "is of another model: "},
		{wide, matrix, "does not fit "},
		{path, path, "is not an importance matrix (general.type is "},
		{path, filepath.Join(folder, "none"), "no such file"},
	} {
		err := quantize.Write(t.Context(), quantize.Options{
			Source: test.source, Target: filepath.Join(folder, "refused.gguf"), Type: "Q4_K_M", Imatrix: test.imatrix,
		})
		assert.Check(t, err != nil && strings.Contains(err.Error(), test.want) && !strings.Contains(err.Error(), "\n"),
			"%v, want %q", err, test.want)
	}
	_, err := os.Stat(filepath.Join(folder, "refused.gguf"))
	assert.Check(t, err != nil, "a refused file lies there")
}

// With the squares as weights, the errors of each of the control model's matrices are smaller where a quantiser knew them.
func TestAMatrixKeepsWhatIsMultipliedWithMuch(t *testing.T) { testKept(t, nil) }

func TestAMatrixOfALoadedEngineKeepsWhatIsMultipliedWithMuch(t *testing.T) {
	library, err := llama.OpenLibrary(sharedtest.Engine(t))
	assert.NilError(t, err)
	const takesList = 3 // the generation of b9842
	if library.Generation() < takesList {
		err := quantize.Write(t.Context(), quantize.Options{
			Source: tinyPath(t), Target: filepath.Join(t.TempDir(), "refused.gguf"), Type: "Q4_0", Engine: library,
			Imatrix: importance(t, tinyPath(t), nil),
		})
		errortest.Says(t, err, "takes no importance matrix from proctor: the engine that is compiled in does")
		return
	}
	testKept(t, library)
}

func testKept(t *testing.T, engine quantize.Engine) {
	const path = "../embedded/control.gguf"
	matrix := importance(t, path, nil)
	sums, err := gguf.Open(matrix)
	assert.NilError(t, err)
	scratch := t.TempDir()
	// plain is a model's file with all its numbers in 32 bits.
	plain := func(source string) *gguf.File {
		target := filepath.Join(scratch, "plain-"+filepath.Base(source))
		err := quantize.Write(t.Context(), quantize.Options{Source: source, Target: target, Type: "F32", Requantise: true})
		assert.NilError(t, err)
		file, err := gguf.Open(target)
		assert.NilError(t, err)
		return file
	}
	exact := plain(path)
	stored := func(name, imatrix string) *gguf.File {
		target := filepath.Join(scratch, name)
		err := quantize.Write(t.Context(), quantize.Options{Source: path, Target: target, Type: "Q4_0", Imatrix: imatrix, Engine: engine})
		assert.NilError(t, err)
		return plain(target)
	}
	without, with := stored("without.gguf", ""), stored("with.gguf", matrix)
	compared := 0
	for _, tensor := range sums.Tensors {
		name, is := strings.CutSuffix(tensor.Name, ".in_sum2")
		if !is {
			continue
		}
		weights, want := floats(t, sums, tensor.Name), floats(t, exact, name)
		weighted := func(file *gguf.File) (sum float64) {
			for i, v := range floats(t, file, name) {
				sum += float64(weights[i%len(weights)]) * float64(v-want[i]) * float64(v-want[i])
			}
			return sum
		}
		compared++
		without, with := weighted(without), weighted(with)
		assert.Check(t, with <= 0.99*without, "%s: weighted error %g with the matrix, %g without", name, with, without)
	}
	assert.Check(t, compared >= 28, "%d tensors compared", compared)
}

// Layers that use the cache of an earlier one compute no keys and values: a matrix has nothing for theirs. A mixture's
// has one an expert.
func TestAMatrixHasWhatIsComputedWith(t *testing.T) {
	shared := architecturePath(t, llamatest.Gemma3n, "F16")
	mixture := written(t, "imatrix-experts.gguf", func(m *llamatest.Model) { m.Shape.Experts, m.Shape.Active = 8, 2 })
	for path, leftOut := range map[string][]string{shared: {"blk.20.attn_k.", "blk.20.attn_v.", "blk.21.attn_k.",
		"blk.21.attn_v."}, mixture: nil} {
		matrix := importance(t, path, func(name string) bool {
			return slices.ContainsFunc(leftOut, func(begin string) bool { return strings.HasPrefix(name, begin) })
		})
		for _, kind := range []string{"Q4_K_M", "IQ2_XS"} {
			target := filepath.Join(t.TempDir(), "quantised.gguf")
			assert.Check(t, quantize.Write(t.Context(),
				quantize.Options{Source: path, Target: target, Type: kind, Imatrix: matrix}), kind)
		}
	}
}
