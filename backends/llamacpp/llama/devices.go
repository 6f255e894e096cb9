package llama

// #include "engine.h"
// #include "gpu.h"
import "C"

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"

	"proctor/backends/llamacpp/engine"
)

// GPUs lists the graphics processors that the engine can use, with the memory that is free now. One that several backends
// know is there once, for the backend that was loaded first.
func GPUs() []engine.Device {
	all := []engine.Device{}
	seen := map[string]bool{}
	for i := range C.ggml_backend_dev_count() {
		c := C.ggml_backend_dev_get(i)
		kind := C.ggml_backend_dev_type(c)
		if kind != C.GGML_BACKEND_DEVICE_TYPE_GPU && kind != C.GGML_BACKEND_DEVICE_TYPE_IGPU {
			continue
		}
		d, bus := describe(c)
		if !seen[bus] {
			all = append(all, d)
		}
		seen[bus] = bus != ""
	}
	return all
}

// describe returns what is known of a device, and where it is plugged in; empty where that is unknown.
func describe(c C.ggml_backend_dev_t) (d engine.Device, bus string) {
	var p C.struct_ggml_backend_dev_props
	C.ggml_backend_dev_get_props(c, &p)
	d = engine.Device{
		Name: C.GoString(p.name), Description: C.GoString(p.description), Free: int64(p.memory_free), Total: int64(p.memory_total),
		Shared: p._type == C.GGML_BACKEND_DEVICE_TYPE_IGPU || p.integrated != 0,
	}
	if p.device_id != nil {
		bus = C.GoString(p.device_id)
	}
	if p.driver_major > 0 {
		d.Driver = fmt.Sprintf("%d.%d", p.driver_major, p.driver_minor)
	} else {
		d.Driver = drivers.of(d.Name)
	}
	return d, bus
}

// CPUs describes the processors, and what accelerates them, that the engine can use.
func CPUs() []string {
	names := []string{}
	for i := range C.ggml_backend_dev_count() {
		device := C.ggml_backend_dev_get(i)
		if kind := C.ggml_backend_dev_type(device); kind == C.GGML_BACKEND_DEVICE_TYPE_CPU || kind == C.GGML_BACKEND_DEVICE_TYPE_ACCEL {
			names = append(names, C.GoString(C.ggml_backend_dev_description(device)))
		}
	}
	return names
}

// ComputesOn names what the engine computes on, as llama-bench does: the backends beside the CPU that have a device, or the
// CPU where there is no other.
func ComputesOn() string {
	var names []string
	for i := range C.ggml_backend_reg_count() {
		reg := C.ggml_backend_reg_get(i)
		if name := C.GoString(C.ggml_backend_reg_name(reg)); name != "CPU" && C.ggml_backend_reg_dev_count(reg) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "CPU"
	}
	return strings.Join(names, ",")
}

// LoadBackend loads one of ggml's GPU backends: a shared library, of the version that this program is linked with, after those
// that it needs, all by absolute paths. It returns how many devices it found.
func LoadBackend(path string, needs []string) (devices int, err error) {
	log := listen("", drivers.hear)
	defer log.Close()
	for _, library := range append(needs, path) {
		name, free := cString(library)
		defer free()
		if why := C.proctor_library_load(name); why != nil {
			return 0, errors.New(C.GoString(why))
		}
	}
	name, free := cString(path)
	defer free()
	reg := C.proctor_backend_load(name)
	if reg == nil {
		return 0, fmt.Errorf("%s: %s", path, log.reason("ggml gave no reason"))
	}
	return int(C.ggml_backend_reg_dev_count(reg)), nil
}

// drivers are those of Vulkan's devices, which tells them only to its log.
var drivers = driverNames{byDevice: map[string]string{}}

type driverNames struct {
	sync.Mutex
	byDevice map[string]string
}

var vulkanDevice = regexp.MustCompile(`^ggml_vulkan: (\d+) = .* \(([^()]*)\) \| uma: `)

// hear takes the driver from a line such as "ggml_vulkan: 0 = A device (a driver) | uma: 0 | …".
func (d *driverNames) hear(_ slog.Level, text string) {
	part := vulkanDevice.FindStringSubmatch(text)
	if part != nil {
		d.Lock()
		defer d.Unlock()
		d.byDevice["Vulkan"+part[1]] = part[2]
	}
}

func (d *driverNames) of(device string) string {
	d.Lock()
	defer d.Unlock()
	return d.byDevice[device]
}
