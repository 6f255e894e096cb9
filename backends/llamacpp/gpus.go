package llamacpp

import (
	"errors"
	"strings"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/memory"
)

// place decides which layers go to GPUs, before the model is loaded. It returns those GPUs.
func (m *Model) place() (gpus []engine.Device, err error) {
	o := &m.options
	if o.GPULayers != 0 {
		if gpus, err = findGPUs(o); err != nil {
			return nil, err
		}
	}
	layers, err := m.memory.Place(o.settings(), o.GPULayers == backends.AutoLayers, gpus)
	o.GPULayers = backends.Layers(layers)
	return gpus, err
}

// findGPUs returns the GPUs that the options ask for.
func findGPUs(o *Options) (gpus []engine.Device, err error) {
	var found gpu.Found
	if o.loaded() { // it brings its backends along
		found = gpu.Below(o.library)
	} else if found, err = gpu.Load(); err != nil {
		return nil, err
	}
	all := o.library.GPUs()
	if len(all) == 0 && (o.GPULayers != backends.AutoLayers || len(o.Devices) > 0) {
		return nil, errors.New(noGPU(found))
	}
	return memory.ChooseGPUs(all, o.Devices)
}

// noGPU says why there is nothing to offload to, and what to do.
func noGPU(found gpu.Found) string {
	text := "GPU layers need a GPU, and none is found: "
	if len(found.Refused) > 0 {
		return text + strings.Join(found.Refused, "; ")
	}
	return text + "no backend of ggml with a device is in " + strings.Join(found.Folders, ", ") + "; " + gpu.Build
}
