package registry

import (
	"fmt"
	"path/filepath"
	"strings"

	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/setting"
)

// GPULayers of [Options] besides a number.
const (
	AllLayers  = llamacpp.AllLayers
	AutoLayers = llamacpp.AutoLayers // as many as the GPUs have free memory for
)

// LoadGPUs loads ggml's GPU backends; without a folder as a run does that asks for GPU layers.
func LoadGPUs(folder string) error {
	if err := llama.NeedBuiltin(""); err != nil {
		return err
	}
	_, err := gpu.Load(folder)
	return err
}

// gpuNames are the names of the GPUs that the compiled-in engine sees.
func gpuNames(name func(engine.Device) string) []string {
	all := []string{}
	if !llama.HasBuiltin() {
		return all
	}
	for _, d := range llama.Builtin().GPUs() {
		all = append(all, name(d))
	}
	return all
}

// gpuLines tell which GPUs the in-process engine can use, by which libraries, and what to do where one is idle.
func gpuLines() (lines []Line, build []Advice) {
	found, err := gpu.Load("")
	for _, d := range llama.Builtin().GPUs() {
		lines = append(lines, Line{"GPU", fmt.Sprintf("%s, %s of them free (%s, %s)", d, size(d.Free),
			setting.GPULayers.As("auto"), setting.Device.As(d.Name))})
	}
	if makes := pluggedIn("/"); len(lines) == 0 && makes != "" {
		build = append(build, Advice{"this machine has a GPU that ggml has no backend for", "make gpu-" + makes})
	}
	if len(lines) == 0 {
		why := "no backend of ggml in " + strings.Join(found.Folders, ", ")
		switch {
		case len(found.Refused) > 0:
			why = "what was found is not loaded"
		case err != nil:
			why = err.Error()
		}
		lines = append(lines, Line{"GPUs", "none: " + why})
	}
	for _, path := range found.Libraries {
		lines = append(lines, Line{"GPU backend", path})
	}
	for _, why := range found.Refused {
		lines = append(lines, Line{"GPU backend", "not loaded: " + why})
	}
	return lines, build
}

// pluggedIn is the kind of backend for a GPU that the operating system has a driver for, seen from its root; empty for none.
func pluggedIn(root string) string {
	for _, driver := range []struct{ files, makes string }{
		{"dev/nvidiactl", "cuda"}, {"dev/kfd", "rocm"}, {"dev/dri/renderD*", "vulkan"},
	} {
		if there, _ := filepath.Glob(filepath.Join(root, driver.files)); len(there) > 0 {
			return driver.makes
		}
	}
	return ""
}
