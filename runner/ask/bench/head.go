package bench

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends"
)

// Head is the common part of all rows: the build, the model, and the settings.
type Head struct {
	Build
	File string `json:"model_filename"` // as the user named it
	backends.Summary
	backends.EngineSettings
	Because string        `json:"kernels_because,omitempty"` // why the kernels are ggml's although these were not requested
	Others  backends.Load `json:"other_programs,omitzero"`   // CPU use of other programs during the measurement
}

func (h Head) others() backends.Load { return h.Others }

// Build is the engine and the devices that it computes on.
type Build struct {
	Commit   string `json:"build_commit"` // llama.cpp's
	CPUs     string `json:"cpu_info"`
	GPUs     string `json:"gpu_info"`
	Backends string `json:"backends"`
}

// A Column of a table: its name, its width (below zero: left-aligned) and a row's value.
type Column struct {
	Name  string
	Width int
	Cell  string
}

// columns are the columns of the model and of the settings to be shown, in llama-bench's order. The setting that depends on the
// engine's device is always shown.
func (h Head) columns(t Table, own ...Column) []Column {
	device := "n_gpu_layers"
	if strings.Contains(t.Build.Backends, "CPU") || strings.Contains(t.Build.Backends, "BLAS") {
		device = "n_threads"
	}
	columns := []Column{
		{"model", -30, h.Type},
		{"size", 10, sized(h.SizeBytes, 1024, "MiB", "GiB")},
		{"params", 10, sized(h.Parameters, 1000, "M", "B")},
		{"backend", -10, h.Backends},
	}
	flash, kernels := 0, h.Kernels
	if h.Because != "" {
		kernels += ", because " + h.Because
	}
	if h.FlashAttention {
		flash = 1
	}
	for _, s := range []struct {
		key, name string
		width     int
		value     any
	}{
		{"n_gpu_layers", "ngl", 3, h.GPULayers}, {"n_threads", "threads", 7, h.Threads},
		{"flash_attn", "fa", 2, flash}, {"kernels", "kernels", -7, kernels},
	} {
		if s.key == device || slices.Contains(t.Show, s.key) {
			columns = append(columns, Column{s.name, s.width, fmt.Sprint(s.value)})
		}
	}
	return append(columns, own...)
}

// sized is a size as llama-bench prints it: in the larger of two units if that is 1 or more; empty where unknown.
func sized(size int64, base float64, small, large string) string {
	n := float64(size) / (base * base)
	switch {
	case n == 0:
		return "n/a"
	case n < base:
		return fmt.Sprintf("%.2f %s", n, small)
	}
	return fmt.Sprintf("%.2f %s", n/base, large)
}
