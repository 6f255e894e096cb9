package backends

import (
	"context"
	"time"
)

// An Engine is a Model that computes in this process, so that what it computes with can be measured alone: on random
// tokens, without tokenising and drawing.
type Engine interface {
	// Summary tells what the model is, at once.
	Summary() Summary

	// CheckTest refuses what cannot run, with the number that could, and returns how many tokens the cache of a test
	// has room for.
	CheckTest(EngineSettings, EngineTest) (room int, err error)

	// AutoFlash says whether the engine takes flash attention with these settings where it is left to it.
	AutoFlash(EngineSettings) (bool, error)

	// RunTest returns how long each repetition of a test took. Tokens are drawn before the clock starts, and the cache
	// is cleared before each repetition. step is called after each repetition, and with warm set after the warm-up.
	// The end of ctx stops it. What [Planner.Plan] set aside is freed.
	RunTest(ctx context.Context, s EngineSettings, t EngineTest, step func(warm bool)) ([]Sample, error)
}

// Summary is what llama.cpp says of a model in a line of a benchmark, under llama-bench's keys.
type Summary struct {
	Type       string `json:"model_type"` // such as "llama 1B Q4_K - Medium"
	SizeBytes  int64  `json:"model_size"` // of all tensors
	Parameters int64  `json:"model_n_params"`
}

// EngineSettings are what an engine computes with, under llama-bench's keys.
type EngineSettings struct {
	Batch          int    `json:"n_batch"`  // tokens of one call of the engine at most
	Microbatch     int    `json:"n_ubatch"` // tokens computed at a time
	Threads        int    `json:"n_threads"`
	KeyType        string `json:"type_k"` // element type of the cache's keys
	ValueType      string `json:"type_v"` // and of its values
	GPULayers      int    `json:"n_gpu_layers"`
	FlashAttention bool   `json:"flash_attn"`
	Mapped         bool   `json:"use_mmap"` // the model's file is mapped into memory, not read
	Kernels        string `json:"kernels"`  // what computes on the CPU: ggml, as in llama-bench, proctor, bf16 or amx-bf16
}

// EngineTest is a test on random tokens, in the manner of llama-bench or of llama-batched-bench.
type EngineTest struct {
	Prompt   int // tokens of a prompt
	Generate int // tokens after it, one by one
	Depth    int // tokens that the cache holds before the clock starts

	Batched  bool // in llama-batched-bench's manner, else in llama-bench's: one sequence
	Parallel int  // with Batched: sequences at a time
	Shared   bool // with Batched: one prompt, which all sequences share

	Repetitions int
	WarmUp      bool // compute a little first, untimed
}

// Prompts is how many prompts are computed.
func (t EngineTest) Prompts() int {
	if t.Batched && !t.Shared {
		return t.Parallel
	}
	return 1
}

// Sample is how long a repetition of a test took: the prompts of all sequences together, and the tokens after them.
type Sample struct{ Prefill, Decode time.Duration }
