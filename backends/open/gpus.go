package open

import (
	"fmt"
	"path/filepath"
	"strings"

	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/llama"
)

// GPULayers of [Options] besides a number.
const (
	AllLayers  = llamacpp.AllLayers
	AutoLayers = llamacpp.AutoLayers // as many as the GPUs have free memory for
)

// LoadGPUs loads ggml's GPU backends; without a folder as a run does that asks for GPU layers.
func LoadGPUs(folder string) error {
	_, err := gpu.Load(folder)
	return err
}

func gpuNames(name func(llama.Device) string) []string {
	all := []string{}
	for _, d := range llama.GPUs() {
		all = append(all, name(d))
	}
	return all
}

// gpuLines tell which GPUs the in-process engine can use, by which libraries, and what to do where it finds none.
func gpuLines() []Line {
	found, err := gpu.Load("")
	var lines []Line
	for _, d := range llama.GPUs() {
		lines = append(lines, Line{"GPU", fmt.Sprintf("%s, %s of them free (--gpu-layers auto, --device %s)", d, size(d.Free), d.Name)})
	}
	if len(lines) == 0 {
		lines = append(lines, Line{"GPUs", "none: " + noGPU(found, err, pluggedIn("/"))})
	}
	for _, path := range found.Libraries {
		lines = append(lines, Line{"GPU backend", path})
	}
	for _, why := range found.Refused {
		lines = append(lines, Line{"GPU backend", "not loaded: " + why})
	}
	return lines
}

// noGPU tells why none can be used, and the one command that mends it.
func noGPU(found gpu.Found, err error, makes string) string {
	switch {
	case len(found.Refused) > 0:
		return "see below"
	case err != nil:
		return err.Error()
	case makes == "":
		return "no backend of ggml in " + strings.Join(found.Folders, ", ") + ", and this machine shows no GPU"
	}
	return fmt.Sprintf("no backend of ggml in %s; this machine has a GPU: `make gpu-%s` builds its backend",
		strings.Join(found.Folders, ", "), makes)
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
