package bench

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/golden"

	"proctor/backends"
)

var (
	began = time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600))
	cpu   = Build{Commit: "ec98e2002", CPUs: "A CPU of 2 cores", Backends: "CPU"}
	gpu   = Build{Commit: "ec98e2002", Number: 7437, CPUs: "A CPU", GPUs: "A \"GPU\", twice", Backends: "CUDA"}
	small = Model{"models/small.gguf", backends.Summary{Type: "llama 100M Q4_K - Medium", SizeBytes: 61_234_567, Parameters: 99_876_543}}
	large = Model{"large.gguf", backends.Summary{Type: "llama 8B | Q8_0", SizeBytes: 8_540_000_000, Parameters: 8_030_000_000}}
	plain = backends.EngineSettings{Batch: 2048, Microbatch: 512, Threads: 2, KeyType: "f16", ValueType: "f16", Mapped: true}
)

func milliseconds(n ...int) []time.Duration {
	all := make([]time.Duration, len(n))
	for i := range n {
		all[i] = time.Duration(n[i]) * time.Millisecond
	}
	return all
}

func tests(build Build) []Test {
	head := Head{build, small, plain}
	other := Head{build, large, backends.EngineSettings{
		Batch: 1024, Microbatch: 256, Threads: 4, KeyType: "q8_0", ValueType: "q4_0", GPULayers: 99, FlashAttention: true,
	}}
	return []Test{
		Test{Head: head, Prompt: 512}.Measured(began, milliseconds(800, 810, 790, 805, 795)),
		Test{Head: head, Generate: 128}.Measured(began, milliseconds(1280, 1280, 1280)),
		Test{Head: other, Prompt: 512, Generate: 128}.Measured(began, milliseconds(4000)),
		Test{Head: other, Prompt: 16, Depth: 4096}.Measured(began, milliseconds(20, 30)),
	}
}

func batched() []Batched {
	head := Head{cpu, small, plain}
	return []Batched{
		Batched{Head: head, Room: 256, Prompt: 128, Generate: 64, Parallel: 1}.Measured(began, milliseconds(250), milliseconds(640)),
		Batched{Head: head, Room: 2048, Shared: 1, Prompt: 128, Generate: 64, Parallel: 8}.Measured(began, milliseconds(250, 260), milliseconds(2000, 2100)),
		Batched{Head: head, Room: 1024, Prompt: 512, Parallel: 2}.Measured(began, milliseconds(2000), milliseconds(0)),
	}
}

func evals() []Eval {
	passes := func(seconds ...time.Duration) []Pass {
		var all []Pass
		for _, wall := range seconds {
			all = append(all, Pass{
				Wall: wall * time.Second, Prefill: wall * time.Second / 4, Decode: wall * time.Second / 2,
				Usage: backends.Usage{PromptTokens: 48 * 1238, ReusedTokens: 47 * 1018, OutputTokens: 48 * 64},
			})
		}
		return all
	}
	eval := Eval{Head: Head{cpu, small, plain}, Slots: 16, Context: 1536, Questions: 48, Shared: 1018, Own: 220, Generate: 64}
	alone := eval
	alone.Slots = 1
	return []Eval{eval.Measured(began, passes(26, 27, 28)), alone.Measured(began, passes(50))}
}

// written is rows in a format.
func written[R any](t *testing.T, format string, columns []Column, build Build, rows []R) string {
	t.Helper()
	var out strings.Builder
	p, err := NewPrinter(format, &out, columns, build)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := p.Print(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGoldenRows(t *testing.T) {
	for _, format := range Formats {
		t.Run(format, func(t *testing.T) {
			golden.Assert(t, written(t, format, TestColumns(cpu), cpu, tests(cpu)), "tests."+format)
			all := []string{"n_gpu_layers", "n_threads", "n_batch", "n_ubatch", "type_k", "type_v", "flash_attn"}
			golden.Assert(t, written(t, format, TestColumns(gpu, all...), gpu, tests(gpu)), "tests-gpu."+format)
			golden.Assert(t, written(t, format, BatchedColumns(1), cpu, batched()), "batched."+format)
			golden.Assert(t, written(t, format, BatchedColumns(2, "n_threads"), cpu, batched()), "batched-models."+format)
			golden.Assert(t, written(t, format, EvalColumns(cpu), cpu, evals()), "eval."+format)
		})
	}
}
