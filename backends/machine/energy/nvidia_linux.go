package energy

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// call calls a function of the library, which returns an error's number, 0 for none.
func call(function uintptr, args ...uintptr) int32 {
	code, _, _ := purego.SyscallN(function, args...)
	return int32(code)
}

// nvidia are the GPUs that a management library knows; why says why there is none, or one can't be read.
func nvidia(management string) (all []counter, why string) {
	const unread = "the GPUs' energy is not readable: "
	library, err := purego.Dlopen(management, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, unread + management + " is not there, which NVIDIA's driver brings; other makers' GPUs are not read"
	}
	functions := map[string]uintptr{}
	for _, name := range []string{"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetName",
		"nvmlDeviceGetTotalEnergyConsumption"} {
		if functions[name], err = purego.Dlsym(library, name); err != nil {
			return nil, unread + management + " has no " + name + ": it is older than what is read here"
		}
	}
	if code := call(functions["nvmlInit_v2"]); code != 0 {
		return nil, fmt.Sprintf("%sNVML does not begin (error %d)", unread, code)
	}
	var count uint32
	if code := call(functions["nvmlDeviceGetCount_v2"], uintptr(unsafe.Pointer(&count))); code != 0 || count == 0 {
		return nil, fmt.Sprintf("%sNVML knows no GPU (error %d)", unread, code)
	}
	for i := range count {
		var device uintptr
		code := call(functions["nvmlDeviceGetHandleByIndex_v2"], uintptr(i), uintptr(unsafe.Pointer(&device)))
		var text [96]byte
		call(functions["nvmlDeviceGetName"], device, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
		called, _, _ := bytes.Cut(text[:], []byte{0})
		gpu := counter{name: fmt.Sprintf("NVML GPU %d %s", i, called)}
		gpu.read = func() (count, most uint64, err error) { // begins when the driver is loaded, never ends, and is in millijoules
			var millijoules uint64
			if code := call(functions["nvmlDeviceGetTotalEnergyConsumption"], device, uintptr(unsafe.Pointer(&millijoules))); code != 0 {
				return 0, 0, fmt.Errorf("NVML's error %d", code)
			}
			return 1000 * millijoules, 0, nil
		}
		if code == 0 {
			_, _, err = gpu.read()
		}
		if code != 0 || err != nil {
			return nil, unread + gpu.name + " counts none, as GPUs older than Volta"
		}
		all = append(all, gpu)
	}
	return all, ""
}
