package bench

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"proctor/backends"
)

var (
	began = time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600))
	cpu   = Build{Commit: "ec98e2002", CPUs: "A CPU of 2 cores", Backends: "CPU"}
	gpu   = Build{Commit: "ec98e2002", Number: 7437, CPUs: "A CPU", GPUs: "A \"GPU\", twice", Backends: "CUDA"}
	small = backends.Summary{Type: "llama 100M Q4_K - Medium", SizeBytes: 61_234_567, Parameters: 99_876_543}
	large = backends.Summary{Type: "llama's 8B | Q8_0", SizeBytes: 8_540_000_000, Parameters: 8_030_000_000}
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
	head := Head{build, "models/small.gguf", small, plain, "", backends.Load{}}
	other := Head{build, "large.gguf", large, backends.EngineSettings{
		Batch: 1024, Microbatch: 256, Threads: 4, KeyType: "f16", ValueType: "f16", GPULayers: 99, FlashAttention: true,
	}, "", backends.Load{}}
	return []Test{
		newTest(head, backends.EngineTest{Prompt: 512}, began, milliseconds(800, 810, 790, 805, 795)),
		newTest(head, backends.EngineTest{Generate: 128}, began, milliseconds(1280, 1280, 1280)),
		newTest(other, backends.EngineTest{Prompt: 512}, began, milliseconds(4000)),
		newTest(other, backends.EngineTest{Prompt: 16}, began, milliseconds(20, 30)),
	}
}

func evals() []Eval {
	passes := func(walls ...time.Duration) []Pass {
		var all []Pass
		for _, wall := range walls {
			all = append(all, Pass{
				Wall: wall, Prefill: wall / 4, Decode: wall / 2,
				Usage: backends.Usage{PromptTokens: 48 * 1238, ReusedTokens: 47 * 1018, OutputTokens: 48 * 64},
			})
		}
		return all
	}
	eval := Eval{
		Head:  Head{cpu, "models/small.gguf", small, plain, "", backends.Load{}},
		Slots: 16, Context: 1536, Questions: 48, Shared: 1018, Own: 220, Generate: 64,
	}
	eval.Kernels = "proctor"
	alone := eval
	alone.Slots, alone.Kernels, alone.Because = 1, "ggml", "its release is not known"
	row := func(eval Eval, passes []Pass) Eval {
		return evalOf([]*session{{row: eval, began: began, passes: passes}})
	}
	return []Eval{row(eval, passes(26*time.Second, 27*time.Second, 28*time.Second)), row(alone, passes(50*time.Second))}
}

// written is rows in a format.
func written[R Row](t *testing.T, format string, table Table, rows []R) string {
	t.Helper()
	var out strings.Builder
	p, err := NewPrinter(format, &out, table)
	for i := 0; err == nil && i < len(rows); i++ {
		err = p.Print(rows[i])
	}
	if err == nil {
		err = p.Close()
	}
	assert.NilError(t, err)
	return out.String()
}

func TestGoldenRows(t *testing.T) {
	all := []string{"n_gpu_layers", "n_threads", "flash_attn"}
	golden.Assert(t, written(t, "md", Table{Build: gpu, Show: all}, tests(gpu)), "tests-gpu.md")
	for _, format := range Formats {
		t.Run(format, func(t *testing.T) {
			golden.Assert(t, written(t, format, Table{Build: cpu}, tests(cpu)), "tests."+format)
			golden.Assert(t, written(t, format, Table{Build: cpu, Show: []string{"kernels"}}, evals()), "eval."+format)
		})
	}
}
