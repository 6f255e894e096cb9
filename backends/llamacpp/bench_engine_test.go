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

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
)

// plainBench are settings under which the tests' small models run fast on one thread.
func plainBench() backends.EngineSettings {
	return backends.EngineSettings{Threads: 1, Batch: 64, Microbatch: 32, KeyType: "f16", ValueType: "f16"}
}

func TestEveryRepetitionIsTimed(t *testing.T) {
	m := open(t, Options{})
	for _, test := range []backends.EngineTest{
		{Prompt: 100, Repetitions: 3, WarmUp: true},
		{Generate: 5, Repetitions: 2, WarmUp: true},
		{Prompt: 64, Generate: 3, Repetitions: 1},
	} {
		steps := 0
		samples, err := m.RunTest(context.Background(), plainBench(), test, func(bool) { steps++ })
		if err != nil {
			t.Fatal(err)
		}
		want := test.Repetitions
		if test.WarmUp {
			want++
		}
		untimed := slices.ContainsFunc(samples, func(took time.Duration) bool { return took <= 0 })
		if len(samples) != test.Repetitions || untimed || steps != want {
			t.Errorf("%+v: %v, %d steps", test, samples, steps)
		}
	}
}

func TestBenchmarksRunOnEveryKindOfMemory(t *testing.T) {
	for _, architecture := range []llamatest.Architecture{llamatest.Gemma2, llamatest.Mamba, llamatest.Jamba} {
		t.Run(string(architecture), func(t *testing.T) {
			path, err := writeTiny("bench-"+string(architecture)+".gguf", func(m *llamatest.Model) { m.Architecture = architecture })
			if err != nil {
				t.Fatal(err)
			}
			m := open(t, Options{Path: path})
			test := backends.EngineTest{Prompt: 190, Generate: 2, Repetitions: 2}
			if _, err := m.RunTest(context.Background(), plainBench(), test, func(bool) {}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAPassIsAPromptAndThenTokenByToken(t *testing.T) {
	m := open(t, Options{})
	b, err := m.openBench(testContext(plainBench(), backends.EngineTest{Prompt: 200}))
	if err != nil {
		t.Fatal(err)
	}
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
	if want := []int{64, 64, 2, 1, 1}; !slices.Equal(lengths, want) {
		t.Errorf("batches of %v, want %v", lengths, want)
	}
	if want := []int{63, 63, 1, 0, 0}; !slices.Equal(scored, want) {
		t.Errorf("scored %v, want %v", scored, want)
	}
	for i, at := range positions {
		if at != int32(i) {
			t.Fatalf("token %d is at position %d", i, at)
		}
	}
	if bos, _ := m.weights.BOS(); begins[0] != bos || begins[3] != bos {
		t.Errorf("texts begin with %d and %d, BOS is %d", begins[0], begins[3], bos)
	}
}

func TestACompletionGoesOnPastItsEndWhereItIsToldTo(t *testing.T) {
	free := open(t, Options{Slots: 1, Context: 512})
	r := backends.Request{ID: "x", Prompt: "Question", MaxTokens: 1}
	generate(t, free, r)
	first := greedyTokens(t, free, r)[0]
	path, err := writeTiny("ends.gguf", func(m *llamatest.Model) { m.EndAfter = first })
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, Options{Path: path, Slots: 2})
	ends := backends.Request{ID: "ends", Prompt: "Question", MaxTokens: 5}
	goesOn := ends
	goesOn.ID, goesOn.IgnoreEOS = "goes on", true
	got := generate(t, m, ends, goesOn)
	if got[0].Finish != backends.FinishStop || got[0].Usage.OutputTokens >= 5 ||
		got[1].Finish != backends.FinishLength || got[1].Usage.OutputTokens != 5 {
		t.Errorf("%+v", got)
	}
}

func refusal(m *Model, s backends.EngineSettings, t backends.EngineTest) error {
	return m.CheckTest(s, t)
}

func TestBenchmarksThatCannotRunAreRefused(t *testing.T) {
	m := open(t, Options{MemoryLimit: 64 << 20})
	settings := func(change func(*backends.EngineSettings)) backends.EngineSettings {
		s := plainBench()
		change(&s)
		return s
	}
	plain := plainBench()
	prompt := backends.EngineTest{Prompt: 8, Repetitions: 1}
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"no repetition", refusal(m, plain, backends.EngineTest{Prompt: 8}), "a test needs tokens"},
		{"no token", refusal(m, plain, backends.EngineTest{Repetitions: 1}), "a test needs tokens"},
		{"an unknown type", refusal(m, settings(func(s *backends.EngineSettings) { s.KeyType = "q9" }), prompt), `unknown KV type "q9"`},
		{"quantised values", refusal(m, settings(func(s *backends.EngineSettings) { s.ValueType = "q8_0" }), prompt),
			"needs flash attention"},
		{"no thread", refusal(m, settings(func(s *backends.EngineSettings) { s.Threads = 0 }), prompt), "must be at least 1"},
		{"more than the memory holds", refusal(m, plain, backends.EngineTest{Prompt: 1 << 20, Repetitions: 1}), "tokens would fit"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, test.err, test.want)
		}
	}
	small := settings(func(s *backends.EngineSettings) { s.KeyType, s.ValueType, s.FlashAttention = "q8_0", "q4_0", true })
	if err := refusal(m, small, prompt); err != nil {
		t.Error(err)
	}
	var asked, fit int
	refused := refusal(m, plain, backends.EngineTest{Prompt: 1 << 20, Repetitions: 1}).Error()
	fmt.Sscanf(refused, "%d tokens", &asked)
	fmt.Sscanf(refused[strings.LastIndex(refused, ": "):], ": %d tokens would fit", &fit)
	if asked != 1<<20 || fit < engine.Cells(1) || refusal(m, plain, backends.EngineTest{Prompt: fit, Repetitions: 1}) != nil ||
		refusal(m, plain, backends.EngineTest{Prompt: fit + engine.Cells(1), Repetitions: 1}) == nil {
		t.Errorf("%q: %d tokens are not what fits", refused, fit)
	}
}

func TestKeysAndValuesMayDifferInType(t *testing.T) {
	m := open(t, Options{})
	s := plainBench()
	s.KeyType, s.ValueType, s.FlashAttention = "q8_0", "q4_0", true
	if _, err := m.RunTest(context.Background(), s, backends.EngineTest{Prompt: 40, Generate: 2, Repetitions: 1},
		func(bool) {}); err != nil {
		t.Error(err)
	}
	whole, mixed := testContext(plainBench(), backends.EngineTest{Prompt: 256}), testContext(s, backends.EngineTest{Prompt: 256})
	if a, b := m.memory.Allocate(whole).KV, m.memory.Allocate(mixed).KV; b >= a {
		t.Errorf("a quantised cache takes %d bytes, a whole one %d", b, a)
	}
}

func TestTheEndOfTheContextEndsABenchmark(t *testing.T) {
	m := open(t, Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := m.RunTest(ctx, plainBench(), backends.EngineTest{Prompt: 2000, Generate: 100, Repetitions: 1000}, func(bool) {})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := m.RunTest(context.Background(), plainBench(), backends.EngineTest{Prompt: 8, Repetitions: 1}, func(bool) {}); err != nil {
		t.Errorf("the model is of no use afterwards: %v", err)
	}
}

func TestAModelIsSummedUpAsLlamaBenchDoes(t *testing.T) {
	path := filepath.Join(scratch, "summary-Q4_K_M.gguf")
	if err := quantize.Write(t.Context(), quantize.Options{Source: tinyPath(t), Target: path, Type: "Q4_K_M"}); err != nil {
		t.Fatal(err)
	}
	m := open(t, Options{Path: path})
	got := m.Summary()
	if !strings.HasPrefix(got.Type, "llama ") || !strings.HasSuffix(got.Type, " Q4_K - Medium") ||
		got.Parameters != m.file.Parameters() || got.SizeBytes != m.file.TensorBytes() {
		t.Errorf("%+v; the file has %d parameters in %d bytes", got, m.file.Parameters(), m.file.TensorBytes())
	}
	if llama.Builtin().ComputesOn() == "" || len(llama.Builtin().CPUs()) == 0 {
		t.Errorf("computes on %q, CPUs %q", llama.Builtin().ComputesOn(), llama.Builtin().CPUs())
	}
}
