package bench

import (
	"cmp"
	"fmt"
	"slices"

	"proctor/backends"
)

// Head is what every row begins with: which build measured which model, with what settings.
type Head struct {
	Build
	File string `json:"model_filename"` // as the user named it
	backends.Summary
	backends.EngineSettings
}

// Build is the engine and what it computes on.
type Build struct {
	Commit   string `json:"build_commit"` // llama.cpp's
	Number   int    `json:"build_number"` // llama.cpp's count of commits; 0 where unknown
	CPUs     string `json:"cpu_info"`
	GPUs     string `json:"gpu_info"`
	Backends string `json:"backends"`
}

// of is the build that computes what was opened.
func (b Build) of(o Opening) Build {
	b.Commit = cmp.Or(o.Release, b.Commit)
	return b
}

// modelColumns tell which model a row is of, as llama-bench has them.
var modelColumns = []Column{
	{"model", -30, shows("%s", "model_type")},
	{"size", 10, func(v values) string { return bytesText(v["model_size"].(int64)) }},
	{"params", 10, func(v values) string { return parameters(v["model_n_params"].(int64)) }},
	{"backend", -10, shows("%s", "backends")},
}

// settingsColumns are those of the settings whose keys are to be shown, in llama-bench's order.
func settingsColumns(show []string) []Column {
	var columns []Column
	for _, s := range []struct {
		key, name string
		width     int
	}{
		{"n_gpu_layers", "ngl", 3}, {"n_threads", "threads", 7}, {"n_batch", "n_batch", 7}, {"n_ubatch", "n_ubatch", 8},
		{"type_k", "type_k", 6}, {"type_v", "type_v", 6}, {"flash_attn", "fa", 2}, {"use_mmap", "mmap", 4}, {"kernels", "kernels", -7},
	} {
		if slices.Contains(show, s.key) {
			columns = append(columns, Column{s.name, s.width, shows("%v", s.key)})
		}
	}
	return columns
}

// bytesText and parameters write sizes as llama-bench does, where they are known.
func bytesText(n int64) string {
	if n == 0 {
		return "n/a"
	}
	if n < 1<<30 {
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
}

func parameters(n int64) string {
	if n == 0 {
		return "n/a"
	}
	if n < 1e9 {
		return fmt.Sprintf("%.2f M", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f B", float64(n)/1e9)
}
