package llama

// #include "engine.h"
// #include "ggml-backend.h"
import "C"

import (
	"slices"
	"strings"
)

// GPUs describes the graphics processors that the engine can use.
func GPUs() []string {
	return devices(C.GGML_BACKEND_DEVICE_TYPE_GPU, C.GGML_BACKEND_DEVICE_TYPE_IGPU)
}

// CPUs describes the processors, and what accelerates them, that the engine can use.
func CPUs() []string {
	return devices(C.GGML_BACKEND_DEVICE_TYPE_CPU, C.GGML_BACKEND_DEVICE_TYPE_ACCEL)
}

func devices(types ...C.enum_ggml_backend_dev_type) []string {
	names := []string{}
	for i := range C.ggml_backend_dev_count() {
		device := C.ggml_backend_dev_get(i)
		if slices.Contains(types, C.ggml_backend_dev_type(device)) {
			names = append(names, C.GoString(C.ggml_backend_dev_description(device)))
		}
	}
	return names
}

// ComputesOn names what the engine computes on, as llama-bench does: the backends beside the CPU, or the CPU where
// there is no other.
func ComputesOn() string {
	var names []string
	for i := range C.ggml_backend_reg_count() {
		if name := C.GoString(C.ggml_backend_reg_name(C.ggml_backend_reg_get(i))); name != "CPU" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "CPU"
	}
	return strings.Join(names, ",")
}

// Offloads says whether a GPU is there that the engine can use.
func Offloads() bool { return bool(C.llama_supports_gpu_offload()) }
