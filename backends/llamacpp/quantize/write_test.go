package quantize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
	"proctor/scripts/tests/sharedtest"
)

// write writes a model with random weights.
func write(t *testing.T, name string, change func(*llamatest.Model)) string {
	t.Helper()
	m := llamatest.Model{
		Name: name, Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 256, Heads: 4, KVHeads: 1, Inner: 256, Layers: 9, Context: 512},
	}
	change(&m)
	path := filepath.Join(t.TempDir(), name+".gguf")
	assert.NilError(t, llamatest.Write(path, m))
	return path
}

// every writes a model as each type that it can have without an importance matrix, and compares what was planned with the file.
func every(t *testing.T, source string, types []string) {
	t.Helper()
	model, err := gguf.Open(source)
	assert.NilError(t, err)
	for _, name := range types {
		plan, err := Estimate(model, name, false)
		target := filepath.Join(t.TempDir(), name+".gguf")
		wrote := Write(t.Context(), Options{Source: source, Target: target, Type: name})
		if err != nil || wrote != nil {
			assert.Check(t, wrote != nil && err != nil && wrote.Error() == err.Error(),
				"%s: planned with %v, written with %v", name, err, wrote)
			continue
		}
		file, err := gguf.Open(target)
		assert.NilError(t, err)
		if off := float64(plan.Bytes)/float64(file.Size) - 1; file.FileType() != name || math.Abs(off) > 0.04 {
			t.Errorf("%s, %d bytes planned: the file is %s and has %d, %.0f %% off", name, plan.Bytes, file.FileType(), file.Size, 100*off)
		}
		for i, tensor := range file.Tensors {
			assert.Check(t, tensor.Name == plan.tensors[i].Name,
				"%s: tensor %d is %s, planned was %s", name, i, tensor.Name, plan.tensors[i].Name)
		}
	}
}

// Rows that K types cannot hold get other types, and a mixture's experts are quantised too; package llamacpp quantises
// a model of every architecture.
func TestAFileIsAboutWhatWasPlanned(t *testing.T) {
	common := []string{"Q4_K_M", "Q2_K", "Q8_0", "IQ4_XS", "Q5_K_M", "Q3_K_M"}
	for _, test := range []struct {
		name   string
		types  []string
		change func(*llamatest.Model)
	}{
		{"four query heads share one", slices.Concat(common, Types()), func(*llamatest.Model) {}},
		{"none shares", common, func(m *llamatest.Model) { m.Shape.KVHeads = 4 }},
		{"16 layers", common, func(m *llamatest.Model) { m.Shape.Layers = 16 }},
		{"rows of 576", []string{"Q2_K", "IQ4_XS", "Q6_K", "Q4_K_M", "Q3_K_L"}, func(m *llamatest.Model) {
			m.Shape = llamatest.Shape{Width: 576, Heads: 9, KVHeads: 3, Inner: 1536, Layers: 2, Context: 512}
		}},
		{"short rows", []string{"Q4_K_M"}, func(m *llamatest.Model) { m.Shape.Width, m.Shape.Inner = 128, 96 }},
		{"eight experts", []string{"Q4_K_M"}, func(m *llamatest.Model) { m.Shape.Experts, m.Shape.Active = 8, 2 }},
	} {
		t.Run(test.name, func(t *testing.T) { every(t, write(t, "model", test.change), sharedtest.Few(1, test.types)) })
	}
}

// TestAForecastFollowsWhatRowsOf576FallBackTo has the shape of SmolLM2-135M, and the sizes that llama.cpp made of it, in MiB.
func TestAForecastFollowsWhatRowsOf576FallBackTo(t *testing.T) {
	model := &gguf.File{Size: 1780 << 10} // its vocabulary
	add := func(name string, width, rows int64) {
		model.Tensors = append(model.Tensors, gguf.Tensor{Name: name, Shape: []int64{width, rows}, Elements: width * rows})
	}
	add("token_embd.weight", 576, 49152)
	for i := range 30 {
		for _, m := range []struct {
			name        string
			width, rows int64
		}{
			{"attn_q", 576, 576}, {"attn_k", 576, 192}, {"attn_v", 576, 192}, {"attn_output", 576, 576},
			{"ffn_gate", 576, 1536}, {"ffn_up", 576, 1536}, {"ffn_down", 1536, 576},
		} {
			add(fmt.Sprintf("blk.%d.%s.weight", i, m.name), m.width, m.rows)
		}
	}
	for name, want := range map[string]float64{"Q6_K": 132.0, "Q4_K_M": 100.6, "IQ4_XS": 87.1, "Q2_K": 84.1} {
		plan, err := Estimate(model, name, false)
		off := float64(plan.Bytes)/(1<<20)/want - 1
		assert.Check(t, err == nil && math.Abs(off) <= 0.01, "%s: %d bytes, %.1f %% off, %v", name, plan.Bytes, 100*off, err)
	}
}

func TestWhatATypeFallsBackToIsSaid(t *testing.T) {
	folder := t.TempDir()
	for name, test := range map[string]struct {
		width int
		want  string
	}{
		"Q2_K":   {576, "0 of 16 tensors are Q2_K: IQ4_NL 11, Q3_K 2, Q8_0 1, Q5_0 2 (rows of 576 are no multiple of 256); 4.48 bits a weight"},
		"Q8_0":   {576, ""},
		"Q4_K_M": {512, ""},
	} {
		source := write(t, "model", func(m *llamatest.Model) {
			m.Shape = llamatest.Shape{Width: test.width, Heads: test.width / 64, KVHeads: 1, Inner: 1536, Layers: 2, Context: 512}
		})
		target := filepath.Join(folder, name)
		assert.NilError(t, Write(t.Context(), Options{Source: source, Target: target, Type: name}))
		file, err := gguf.Open(target)
		assert.NilError(t, err)
		assert.Check(t, is.Equal(FellBack(file), test.want), "%s", name)
	}
}

func TestProgressEndsWithTheWhole(t *testing.T) {
	source := write(t, "model", func(m *llamatest.Model) {})
	var all []Progress
	err := Write(t.Context(), Options{
		Source: source, Target: source + ".q8", Type: "q8_0", Threads: 2, Progress: func(p Progress) { all = append(all, p) },
	})
	last := len(all) - 1
	assert.Assert(t, err == nil && last >= 50 && all[last] == (Progress{Done: last, All: last, Share: 1}), "%v, %+v", err, all)
	for i, p := range all[:last] {
		if p.Done != i || p.All != last || p.Tensor == "" || p.Share < 0 || i > 0 && p.Share <= all[i-1].Share || p.Share >= 1 {
			t.Errorf("%d: %+v", i, p)
		}
	}
}

// What stood at the target stays when the work is stopped, and nothing is left beside it.
func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	source := write(t, "model", func(m *llamatest.Model) {})
	target := filepath.Join(t.TempDir(), "target.gguf")
	assert.NilError(t, os.WriteFile(target, []byte("before"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := Write(ctx, Options{Source: source, Target: target, Type: "Q4_K_M", Progress: func(p Progress) {
		if calls++; p.Done == 5 {
			cancel()
		}
	}})
	content, _ := os.ReadFile(target)
	beside, _ := os.ReadDir(filepath.Dir(target))
	assert.Check(t, errors.Is(err, context.Canceled) && string(content) == "before" && len(beside) == 1 && calls == 6,
		"%v after %d tensors, %q, %v", err, calls, content, beside)
	assert.NilError(t, Write(t.Context(), Options{Source: source, Target: target, Type: "Q4_K_M"}))
}

func TestWhatCannotBeQuantisedIsSaid(t *testing.T) {
	source := write(t, "model", func(m *llamatest.Model) {})
	folder := t.TempDir()
	small := filepath.Join(folder, "small.gguf")
	assert.NilError(t, Write(t.Context(), Options{Source: source, Target: small, Type: "Q8_0"}))
	for _, test := range []struct {
		Options
		want string
	}{
		{Options{Source: source, Type: "Q4_K"}, `unknown type "Q4_K": choose one of F32, F16, BF16, Q8_0,`},
		{Options{Source: source, Type: "IQ2_XS"}, "IQ2_XS would be of no use without an importance matrix"},
		{Options{Source: small, Type: "Q4_0"}, "has tensors in Q8_0 already: quantise from its F32, F16 or BF16 file"},
		{Options{Source: source, Type: "Q8_0", Target: source}, "is the model that is to be quantised"},
		{Options{Source: folder, Type: "Q8_0"}, "is a directory"},
		{Options{Source: source, Type: "Q8_0", Target: filepath.Join(folder, "none", "x.gguf")}, "no such file or directory"},
	} {
		if test.Target == "" {
			test.Target = filepath.Join(folder, "target.gguf")
		}
		errortest.For(t, test.Options, Write(t.Context(), test.Options), test.want)
	}
	again := Options{Source: small, Target: filepath.Join(folder, "q4.gguf"), Type: "Q4_0", Requantise: true}
	assert.Check(t, Write(t.Context(), again))
	beside, _ := os.ReadDir(folder)
	names := []string{beside[0].Name(), beside[1].Name()}
	assert.Check(t, len(beside) == 2 && slices.Equal(names, []string{"q4.gguf", "small.gguf"}), "left behind: %v", beside)
}
