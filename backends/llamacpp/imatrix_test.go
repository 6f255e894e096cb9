package llamacpp

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

// collected has a model read two texts of the given tokens and returns the file of its importance matrix. engine is the folder of the
// llama.cpp that computes; "": the one that is compiled in.
func collected(t *testing.T, engine, path string, texts ...string) string {
	t.Helper()
	c := open(t, Options{Engine: engine, Path: path, Collect: true, Slots: 2})
	var requests []backends.Request
	for _, text := range texts {
		tokens, err := c.Tokenize(text)
		assert.NilError(t, err)
		last := len(tokens) - 1
		requests = append(requests, backends.Request{
			ID: text, Prompt: text[:len(text)-1], Logprobs: 1,
			Forced: &backends.Forced{Tokens: tokens[last:], Ask: make([][]int32, 1)},
		})
	}
	if _, err := c.Plan(t.Context(), backends.Workload{Requests: 2, PromptTokens: 64, Forced: true}); err != nil {
		t.Fatal(err)
	}
	err := c.Generate(context.Background(), slices.Values(requests), func(c backends.Completion) error {
		if c.Finish == backends.FinishError {
			t.Error(c.Error)
		}
		return nil
	})
	assert.NilError(t, err)
	file := filepath.Join(t.TempDir(), "imatrix.gguf")
	to, err := os.Create(file)
	assert.NilError(t, err)
	defer to.Close()
	assert.NilError(t, c.WriteImatrix(to, "two texts"))
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

// The first layer's queries are multiplied with the normalised embeddings of the tokens: worked out from the model's file here.
func TestAnImportanceMatrixHasTheSquaresOfWhatIsMultiplied(t *testing.T) {
	path, texts := tinyPath(t), []string{"abcabdz", "xyxxyyxq"}
	matrix, err := gguf.Open(collected(t, "", path, texts...))
	assert.NilError(t, err)
	model, err := gguf.Open(path)
	assert.NilError(t, err)
	const width, eps = 256, 1e-5
	embeddings, norm := halves(t, path, model, "token_embd.weight"), floats(t, model, "blk.0.attn_norm.weight")
	m := open(t, Options{})
	var want [width]float64
	rows := 0
	for _, text := range texts {
		tokens, err := m.Tokenize(text[:len(text)-1])
		assert.NilError(t, err)
		for _, token := range tokens {
			x := embeddings[int(token)*width:][:width]
			square := 0.0
			for _, v := range x {
				square += v * v / width
			}
			for i, v := range x {
				want[i] += math.Pow(v/math.Sqrt(square+eps)*float64(norm[i]), 2)
			}
			rows++
		}
	}
	for _, name := range []string{"attn_q", "attn_k", "attn_v"} {
		got, counts := floats(t, matrix, "blk.0."+name+".weight.in_sum2"), floats(t, matrix, "blk.0."+name+".weight.counts")
		assert.Assert(t, len(got) == width && len(counts) == 1 && int(counts[0]) == rows,
			"%s: %d columns, counts %v, want %d rows", name, len(got), counts, rows)
		for i := range want {
			assert.Check(t, math.Abs(float64(got[i])-want[i]) <= 1e-4*want[i], "%s: column %d has %g, want %g", name, i, got[i], want[i])
		}
	}
	assert.Check(t, matrix.Text("general.type") == "imatrix" && len(matrix.Tensors) == 2*7*2 && matrix.Len("imatrix.datasets") == 1,
		"%q, %d tensors", matrix.Text("general.type"), len(matrix.Tensors))
	for _, key := range []string{"chunk_count", "chunk_size"} {
		n, ok := matrix.Int("imatrix." + key)
		assert.Check(t, ok && n >= 1, "%s: %d", key, n)
	}
}

// halves are the elements of a tensor of 16-bit floats.
func halves(t *testing.T, path string, model *gguf.File, name string) []float64 {
	t.Helper()
	content, err := os.ReadFile(path)
	assert.NilError(t, err)
	at := len(content) - int(trailing(model, name))
	var values []float64
	i := slices.IndexFunc(model.Tensors, func(t gguf.Tensor) bool { return t.Name == name })
	for range model.Tensors[i].Elements {
		values = append(values, float64(float16.Frombits(binary.LittleEndian.Uint16(content[at:])).Float32()))
		at += 2
	}
	return values
}

// trailing is how far from the end of the file a tensor begins: all tensors' sizes are multiples of the alignment here.
func trailing(model *gguf.File, name string) (bytes int64) {
	after := false
	for _, t := range model.Tensors {
		after = after || t.Name == name
		if after {
			bytes += (t.Bytes + 31) / 32 * 32
		}
	}
	return bytes
}

// A token's choice among the experts is computed from what the chosen experts are given: their sums make up its own, once an expert.
func TestEachExpertCountsItsOwnTokens(t *testing.T) {
	const active = 2
	path := written(t, "imatrix-experts.gguf", func(m *llamatest.Model) { m.Shape.Experts, m.Shape.Active = 8, active })
	file := collected(t, "", path, "abcabdz", "xyxxyyxq")
	matrix, err := gguf.Open(file)
	assert.NilError(t, err)
	gate, rows := floats(t, matrix, "blk.0.ffn_gate_inp.weight.in_sum2"), floats(t, matrix, "blk.0.ffn_gate_inp.weight.counts")
	sums, counts := floats(t, matrix, "blk.0.ffn_up_exps.weight.in_sum2"), floats(t, matrix, "blk.0.ffn_up_exps.weight.counts")
	var all float32
	for _, n := range counts {
		all += n
	}
	assert.Assert(t, len(counts) == 8 && all == active*rows[0] && len(sums) == 8*len(gate),
		"%v tokens for experts, %v for the choice", counts, rows)
	for i, want := range gate {
		var got float32
		for expert := range counts {
			got += sums[expert*len(gate)+i]
		}
		assert.Check(t, math.Abs(float64(got-active*want)) <= 1e-4*float64(got), "column %d: %g, want %g", i, got, active*want)
	}
	for _, kind := range sharedtest.Few(1, []string{"Q2_K", "IQ2_XS"}) {
		target := filepath.Join(t.TempDir(), "quantised.gguf")
		assert.Check(t, quantize.Write(t.Context(), quantize.Options{Source: path, Target: target, Type: kind, Imatrix: file}))
	}
}

// A published llama.cpp collects the same matrix as the built-in one, up to roundings; a mixture has one for each expert.
func TestALoadedEngineCollectsWhatTheBuiltInOneDoes(t *testing.T) {
	folder := sharedtest.Engine(t)
	mixture := written(t, "imatrix-loaded.gguf", func(m *llamatest.Model) { m.Shape.Experts, m.Shape.Active = 8, 2 })
	for name, path := range map[string]string{"dense": tinyPath(t), "mixture": mixture, "control": "../embedded/control.gguf"} {
		texts := []string{"abcabdzyxzzyab", "xyxxyyxqbcbaab"}
		want, err := gguf.Open(collected(t, "", path, texts...))
		assert.NilError(t, err)
		got, err := gguf.Open(collected(t, folder, path, texts...))
		assert.NilError(t, err)
		assert.Assert(t, len(got.Tensors) == len(want.Tensors) && len(want.Tensors) >= 2*7*2,
			"%s: %d tensors, the built-in one has %d", name, len(got.Tensors), len(want.Tensors))
		most := 0.0
		for _, tensor := range want.Tensors {
			is, should := floats(t, got, tensor.Name), floats(t, want, tensor.Name)
			assert.Assert(t, len(is) == len(should), "%s: %s has %d elements, want %d", name, tensor.Name, len(is), len(should))
			for i := range should {
				if is[i] != should[i] { // an expert may have no token
					most = max(most, math.Abs(float64(is[i]-should[i]))/math.Abs(float64(should[i])))
				}
			}
		}
		assert.Check(t, most < 1e-3, "%s: it is %g of itself off", name, most)
		t.Logf("%s: the sums differ by %.2g of themselves at most", name, most)
	}
}

func TestAMatrixMustBeOfTheModel(t *testing.T) {
	path, folder := tinyPath(t), t.TempDir()
	deep := written(t, "imatrix-deep.gguf", func(m *llamatest.Model) { m.Shape.Layers = 3 })
	wide := written(t, "imatrix-wide.gguf", func(m *llamatest.Model) { m.Shape.Inner = 512 })
	matrix := collected(t, "", path, "abcabdz", "xyxxyyxq")
	for _, test := range []struct{ source, imatrix, want string }{
		{deep, matrix, "has nothing for blk.2."},
		{path, collected(t, "", deep, "abcabdz", "xyxxyyxq"), "is of another model: "},
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
func TestAMatrixKeepsWhatIsMultipliedWithMuch(t *testing.T) { testKept(t, "", nil) }

func TestAMatrixOfALoadedEngineKeepsWhatIsMultipliedWithMuch(t *testing.T) {
	folder := sharedtest.Engine(t)
	library, err := llama.OpenLibrary(folder)
	assert.NilError(t, err)
	const takesList = 3 // the generation of b9842
	if library.Generation() < takesList {
		err := quantize.Write(t.Context(), quantize.Options{
			Source: tinyPath(t), Target: filepath.Join(t.TempDir(), "refused.gguf"), Type: "Q4_0", Engine: library,
			Imatrix: collected(t, folder, tinyPath(t), "abcabdz", "xyxxyyxq"),
		})
		errortest.Says(t, err, "takes no importance matrix from proctor: the engine that is compiled in does")
		return
	}
	testKept(t, folder, library)
}

func testKept(t *testing.T, folder string, engine quantize.Engine) {
	const path = "../embedded/control.gguf"
	matrix := collected(t, folder, path, "Question: what is 17 + 4? Answer: A", "Question: what is 93 + 25? Answer: C")
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

// Layers that use the cache of an earlier one compute no keys and values: a matrix has nothing for theirs.
func TestLayersThatShareACacheNeedNoImportance(t *testing.T) {
	path := architecturePath(t, llamatest.Gemma3n, "F16")
	matrix := collected(t, "", path, "abcabdz", "xyxxyyxq")
	sums, err := gguf.Open(matrix)
	assert.NilError(t, err)
	for name, want := range map[string]bool{"blk.19.attn_k": true, "blk.20.attn_k": false, "blk.21.attn_v": false, "blk.21.attn_q": true} {
		_, is := sums.Tensor(name + ".weight.in_sum2")
		assert.Check(t, is == want, "%s is in the matrix: %v", name, is)
	}
	for _, kind := range []string{"Q4_K_M", "IQ2_XS"} {
		target := filepath.Join(t.TempDir(), "quantised.gguf")
		assert.Check(t, quantize.Write(t.Context(), quantize.Options{Source: path, Target: target, Type: kind, Imatrix: matrix}), kind)
	}
}

// Scores are computed where they are read alone: what the last layer hands on, which the matrix of all tokens is multiplied with, are
// the rows of drawn tokens, not those of whole prompts.
func TestScoresAreComputedWhereTheyAreRead(t *testing.T) {
	path, texts := tinyPath(t), []string{"abcabdz", "xyxxyyxq"}
	matrix, err := gguf.Open(collected(t, "", path, texts...))
	assert.NilError(t, err)
	rows := func(layer int) int {
		return int(floats(t, matrix, fmt.Sprintf("blk.%d.ffn_down.weight.counts", layer))[0])
	}
	assert.Assert(t, rows(0) > 2*len(texts), "%d rows in the first layer", rows(0))
	assert.Equal(t, rows(1), len(texts))
}
