package llama

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/shared"
)

// GPUs lists the graphics processors that the engine can use, with the memory that is free now. One that several backends
// know is there once, for the backend that was loaded first.
func (l *Library) GPUs() []engine.Device {
	all := []engine.Device{}
	seen := map[string]bool{}
	for i := range l.GgmlBackendDevCount() {
		c := l.GgmlBackendDevGet(i)
		kind := l.GgmlBackendDevType(c)
		if kind != deviceGPU && kind != deviceIntegrated {
			continue
		}
		d, bus := l.describe(c, kind)
		if !seen[bus] {
			all = append(all, d)
		}
		seen[bus] = bus != ""
	}
	return all
}

// Values of ggml_backend_dev_type.
const (
	deviceCPU        = 0
	deviceGPU        = 1
	deviceIntegrated = 2
	deviceAccel      = 3
)

// describe returns what is known of a device, and where it is plugged in; empty where that is unknown.
func (l *Library) describe(c unsafe.Pointer, kind int32) (d engine.Device, bus string) {
	d = engine.Device{Name: l.GgmlBackendDevName(c), Description: l.GgmlBackendDevDescription(c), Shared: kind == deviceIntegrated}
	var free, total uint64
	l.GgmlBackendDevMemory(c, &free, &total)
	d.Free, d.Total, d.Driver = int64(free), int64(total), drivers.of(d.Name)
	switch {
	case l.ProctorDevice != nil:
		var known deviceDetails
		l.ProctorDevice(c, &known)
		bus, d.Shared = goString(known.id), d.Shared || known.integrated != 0
		if known.major > 0 {
			d.Driver = fmt.Sprintf("%d.%d", known.major, known.minor)
		}
	case l.GgmlBackendDevGetProps != nil:
		var p deviceProps
		l.GgmlBackendDevGetProps(c, &p)
		bus = goString(p.id)
	}
	return d, bus
}

// CPUs describes the processors, and what accelerates them, that the engine can use.
func (l *Library) CPUs() []string {
	names := []string{}
	for i := range l.GgmlBackendDevCount() {
		device := l.GgmlBackendDevGet(i)
		if kind := l.GgmlBackendDevType(device); kind == deviceCPU || kind == deviceAccel {
			names = append(names, l.GgmlBackendDevDescription(device))
		}
	}
	return names
}

// ComputesOn names what the engine computes on, as llama-bench does: the backends beside the CPU that have a device, or the
// CPU where there is no other.
func (l *Library) ComputesOn() string {
	var names []string
	for i := range l.GgmlBackendRegCount() {
		registry := l.GgmlBackendRegGet(i)
		if name := l.GgmlBackendRegName(registry); name != "CPU" && l.GgmlBackendRegDevCount(registry) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "CPU"
	}
	return strings.Join(names, ",")
}

// LoadBackend loads one of ggml's GPU backends: a shared library, of the version that this library has, after those
// that it needs, all by absolute paths. It returns how many devices it found.
func (l *Library) LoadBackend(path string, needs []string) (devices int, err error) {
	log := listen("", drivers.hear)
	defer log.Close()
	for _, library := range append(needs, path) {
		handle, err := shared.Open(library)
		if err != nil {
			return 0, err
		}
		// Asked of the library and what it needs, so this finds its ggml and never ours.
		if address := shared.Symbol(handle, "ggml_log_set"); address != 0 {
			purego.SyscallN(address, logCallback(), 0)
		}
	}
	registry := l.GgmlBackendLoad(path)
	if registry == nil {
		return 0, fmt.Errorf("%s: %s", path, log.reason("ggml gave no reason"))
	}
	return int(l.GgmlBackendRegDevCount(registry)), nil
}

// drivers are those of Vulkan's devices, which only its log names.
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
