package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Head is what every row begins with: which build measured which model, with what settings.
type Head struct {
	Build
	Model
	Settings
}

// Build is the engine and what it computes on.
type Build struct {
	Commit   string `json:"build_commit"` // llama.cpp's
	Number   int    `json:"build_number"` // llama.cpp's count of commits; 0 where unknown
	CPUs     string `json:"cpu_info"`
	GPUs     string `json:"gpu_info"`
	Backends string `json:"backends"`
}

// Line is the footer of a table.
func (b Build) Line() string { return fmt.Sprintf("build: %s (%d)", b.Commit, b.Number) }

// Model is what was measured.
type Model struct {
	File       string `json:"model_filename"` // as the user named it
	Type       string `json:"model_type"`     // such as "llama 1B Q4_K - Medium"
	SizeBytes  int64  `json:"model_size"`     // of all tensors
	Parameters int64  `json:"model_n_params"`
}

// Settings are those of the engine.
type Settings struct {
	Batch          int    `json:"n_batch"`
	Microbatch     int    `json:"n_ubatch"`
	Threads        int    `json:"n_threads"`
	KeyType        string `json:"type_k"`
	ValueType      string `json:"type_v"`
	GPULayers      int    `json:"n_gpu_layers"`
	FlashAttention bool   `json:"flash_attn"`
	Mapped         bool   `json:"use_mmap"` // the model's file is mapped into memory, not read
	Kernels        string `json:"kernels"`  // what computes on the CPU: ggml, as in llama-bench, or proctor
}

// head gives the columns at the rows that embed it.
func (h Head) head() Head { return h }

type headed interface{ head() Head }

// modelColumns tell which model a row is of, as llama-bench has them.
func modelColumns[R headed]() []Column[R] {
	return []Column[R]{
		{"model", -30, func(r R) string { return r.head().Type }},
		{"size", 10, func(r R) string { return bytes(r.head().SizeBytes) }},
		{"params", 10, func(r R) string { return parameters(r.head().Parameters) }},
		{"backend", -10, func(r R) string { return r.head().Backends }},
	}
}

// settingsColumns are those of the settings whose keys are to be shown, in llama-bench's order.
func settingsColumns[R headed](show ...string) []Column[R] {
	var columns []Column[R]
	for _, s := range []struct {
		key, name string
		width     int
		cell      func(Settings) string
	}{
		{"n_gpu_layers", "ngl", 3, func(s Settings) string { return strconv.Itoa(s.GPULayers) }},
		{"n_threads", "threads", 7, func(s Settings) string { return strconv.Itoa(s.Threads) }},
		{"n_batch", "n_batch", 7, func(s Settings) string { return strconv.Itoa(s.Batch) }},
		{"n_ubatch", "n_ubatch", 8, func(s Settings) string { return strconv.Itoa(s.Microbatch) }},
		{"type_k", "type_k", 6, func(s Settings) string { return s.KeyType }},
		{"type_v", "type_v", 6, func(s Settings) string { return s.ValueType }},
		{"flash_attn", "fa", 2, func(s Settings) string { return flag(s.FlashAttention) }},
		{"kernels", "kernels", -7, func(s Settings) string { return s.Kernels }},
	} {
		if slices.Contains(show, s.key) {
			columns = append(columns, Column[R]{s.name, s.width, func(r R) string { return s.cell(r.head().Settings) }})
		}
	}
	return columns
}

// device is the setting that llama-bench always shows, by what the engine computes on.
func (b Build) device() string {
	if strings.Contains(b.Backends, "CPU") || strings.Contains(b.Backends, "BLAS") {
		return "n_threads"
	}
	return "n_gpu_layers"
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

func bytes(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
}

func parameters(n int64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.2f M", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f B", float64(n)/1e9)
}
