package backends

import (
	"context"
	"io/fs"
	"time"
)

// An Engine is a Model that computes in this process, so that what it computes with can be measured alone: on random
// tokens, without tokenising and drawing.
type Engine interface {
	// Summary describes the model without computing anything.
	Summary() Summary

	// CheckTest refuses what cannot run, with the number of tokens that could.
	CheckTest(EngineSettings, EngineTest) error

	// RunTest returns how long each repetition of a test took. Tokens are drawn before the clock starts, and the cache
	// is cleared before each repetition. step is called after each repetition, and with warm set after the warm-up.
	// The end of ctx stops it. What [Planner.Plan] set aside is freed.
	RunTest(ctx context.Context, s EngineSettings, t EngineTest, step func(warm bool)) ([]time.Duration, error)
}

// Summary describes a model in a line of a benchmark, under llama-bench's keys.
type Summary struct {
	Type       string `json:"model_type"` // such as "llama 1B Q4_K - Medium"
	SizeBytes  int64  `json:"model_size"` // of all tensors
	Parameters int64  `json:"model_n_params"`
}

// EngineSettings are the settings that an engine computes with, under llama-bench's keys.
type EngineSettings struct {
	Batch          int    `json:"n_batch"`  // tokens of one call of the engine at most
	Microbatch     int    `json:"n_ubatch"` // tokens computed at a time
	Threads        int    `json:"n_threads"`
	GPULayers      int    `json:"n_gpu_layers"`
	FlashAttention bool   `json:"flash_attn"`
	Kernels        string `json:"kernels"` // what computes on the CPU: ggml, as in llama-bench, or proctor
}

// EngineTest is a test on random tokens, in the manner of llama-bench.
type EngineTest struct {
	Prompt   int // tokens of a prompt
	Generate int // tokens after it, one by one

	Repetitions int
	WarmUp      bool // compute a little first, untimed
}

// A Source is a model that others are quantised from, and what else decides their bytes.
type Source struct {
	Path             string `json:"path"`
	SHA256           string `json:"sha256"`
	Bytes            int64  `json:"bytes"`
	Type             string `json:"type"`              // llama.cpp's file type
	Importance       string `json:"imatrix,omitempty"` // file of an importance matrix; empty for none
	ImportanceSHA256 string `json:"imatrix_sha256,omitempty"`
	Engine           string `json:"engine"` // which llama.cpp quantises: its release, as versions may write other bytes

	Read map[string]fs.FileInfo `json:"-"` // the files, as they were before the checksums were taken
}
