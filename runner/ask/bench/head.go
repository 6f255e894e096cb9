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
	{"size", 10, sized("model_size", 1024, "MiB", "GiB")},
	{"params", 10, sized("model_n_params", 1000, "M", "B")},
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

// sized is a cell with a size as llama-bench writes it: in the larger of two units from one on, and nothing where it is unknown.
func sized(key string, base float64, small, large string) func(values) string {
	return func(v values) string {
		n := float64(v[key].(int64)) / (base * base)
		switch {
		case n == 0:
			return "n/a"
		case n < base:
			return fmt.Sprintf("%.2f %s", n, small)
		}
		return fmt.Sprintf("%.2f %s", n/base, large)
	}
}
