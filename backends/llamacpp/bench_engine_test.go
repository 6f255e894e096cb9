package llamacpp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
)

// plainBench are settings under which the tests' small models run fast on one thread.
func plainBench() backends.EngineSettings {
	return backends.EngineSettings{Threads: 1, Batch: 64, Microbatch: 32}
}

// Every repetition is timed, with every kind of memory.
func TestEveryRepetitionIsTimed(t *testing.T) {
	for _, test := range []struct {
		architecture llamatest.Architecture
		settings     backends.EngineSettings
		backends.EngineTest
	}{
		{llamatest.Llama, plainBench(), backends.EngineTest{Prompt: 100, Repetitions: 3, WarmUp: true}},
		{llamatest.Llama, plainBench(), backends.EngineTest{Generate: 5, Repetitions: 2, WarmUp: true}},
		{llamatest.Llama, plainBench(), backends.EngineTest{Prompt: 64, Generate: 3, Repetitions: 1}},
		{llamatest.Gemma2, plainBench(), backends.EngineTest{Prompt: 190, Generate: 2, Repetitions: 2}},
		{llamatest.Mamba, plainBench(), backends.EngineTest{Prompt: 190, Generate: 2, Repetitions: 2}},
		{llamatest.Jamba, plainBench(), backends.EngineTest{Prompt: 190, Generate: 2, Repetitions: 2}},
	} {
		m := open(t, Options{Path: architecturePath(t, test.architecture, "F16")})
		steps := 0
		samples, err := m.RunTest(context.Background(), test.settings, test.EngineTest, func(bool) { steps++ })
		want := test.Repetitions
		if test.WarmUp {
			want++
		}
		untimed := slices.ContainsFunc(samples, func(took time.Duration) bool { return took <= 0 })
		assert.Check(t, err == nil && len(samples) == test.Repetitions && !untimed && steps == want,
			"%+v: %v, %d steps, %v", test, samples, steps, err)
	}
}

func TestAPassIsAPromptAndThenTokenByToken(t *testing.T) {
	m := open(t, Options{})
	b, err := m.openBench(testContext(plainBench(), backends.EngineTest{Prompt: 200}))
	assert.NilError(t, err)
	defer b.engine.Close()
	var lengths, scored []int
	var positions, begins []int32
	for _, part := range b.pass(130, 2) {
		lengths = append(lengths, len(part))
		scored = append(scored, slices.IndexFunc(part, func(t engine.Token) bool { return t.Draw }))
		for _, token := range part {
			positions = append(positions, token.Position)
		}
		begins = append(begins, part[0].ID)
	}
	assert.Check(t, is.DeepEqual(lengths, []int{64, 64, 2, 1, 1}))
	assert.Check(t, is.DeepEqual(scored, []int{63, 63, 1, 0, 0}))
	for i, at := range positions {
		assert.Assert(t, at == int32(i), "token %d is at position %d", i, at)
	}
	bos, _ := m.weights.BOS()
	assert.Check(t, begins[0] == bos && begins[3] == bos, "texts begin with %d and %d, BOS is %d", begins[0], begins[3], bos)
}

func TestBenchmarksThatCannotRunAreRefused(t *testing.T) {
	m := open(t, Options{MemoryLimit: 64 << 20})
	plain := plainBench()
	learned := open(t, Options{Path: architecturePath(t, llamatest.GPT2, "F16")})
	ends := backends.EngineTest{Prompt: 4095, Generate: 1, Repetitions: 1}
	assert.NilError(t, learned.CheckTest(plain, ends))
	ends.Prompt++
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"no repetition", m.CheckTest(plain, backends.EngineTest{Prompt: 8}), "a test needs tokens"},
		{"no token", m.CheckTest(plain, backends.EngineTest{Repetitions: 1}), "a test needs tokens"},
		{"more than the memory holds", m.CheckTest(plain, backends.EngineTest{Prompt: 1 << 20, Repetitions: 1}), "tokens would fit"},
		{"more than the learned positions", learned.CheckTest(plain, ends),
			"4097 tokens: the model has learned positions for 4096"},
	} {
		assert.Check(t, test.err != nil && strings.Contains(test.err.Error(), test.want), "%s: %v, want %q", test.name, test.err, test.want)
	}
	var needed, fit int
	refused := m.CheckTest(plain, backends.EngineTest{Prompt: 1 << 20, Repetitions: 1}).Error()
	fmt.Sscanf(refused, "%d tokens", &needed)
	fmt.Sscanf(refused[strings.LastIndex(refused, ": "):], ": %d tokens would fit", &fit)
	if needed != 1<<20 || fit < engine.Cells(1) || m.CheckTest(plain, backends.EngineTest{Prompt: fit, Repetitions: 1}) != nil ||
		m.CheckTest(plain, backends.EngineTest{Prompt: fit + engine.Cells(1), Repetitions: 1}) == nil {
		t.Errorf("%q: %d tokens are not what fits", refused, fit)
	}
}

func TestTheEndOfTheContextEndsABenchmark(t *testing.T) {
	m := open(t, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := m.RunTest(ctx, plainBench(), backends.EngineTest{Prompt: 2000, Generate: 100, Repetitions: 1000}, func(bool) {})
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "got %v", err)
	_, err = m.RunTest(context.Background(), plainBench(), backends.EngineTest{Prompt: 8, Repetitions: 1}, func(bool) {})
	assert.Check(t, err == nil, "the model is of no use afterwards: %v", err)
}

// TestAModelIsSummedUpByItsFile has 30 layers, for which llama.cpp says 256M.
func TestAModelIsSummedUpByItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep.gguf")
	if err := llamatest.Write(path, llamatest.Model{
		Name: "deep", Vocabulary: llamatest.SmallVocabulary(),
		Shape: llamatest.Shape{Width: 256, Heads: 4, KVHeads: 1, Inner: 256, Layers: 30, Context: 64},
	}); err != nil {
		t.Fatal(err)
	}
	m := open(t, Options{Path: quantised(t, path, "Q4_K_M")})
	got := m.Summary()
	if !strings.HasPrefix(got.Type, "llama "+backends.SizeLabel(m.file.Parameters())+" ") || !strings.HasSuffix(got.Type, " Q4_K - Medium") ||
		got.Parameters != m.file.Parameters() || got.SizeBytes != m.file.TensorBytes() {
		t.Errorf("%+v; the file has %d parameters in %d bytes", got, m.file.Parameters(), m.file.TensorBytes())
	}
	assert.Check(t, llama.Builtin().ComputesOn() != "" && len(llama.Builtin().CPUs()) != 0,
		"computes on %q, CPUs %q", llama.Builtin().ComputesOn(), llama.Builtin().CPUs())
}
