package memory

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/llamacpp/engine"
)

// ChooseGPUs returns those of all that a list names, in its order, and their shares of the layers, by their free
// memory. Without a list they are all that have memory of their own, or all where none has: those that share the machine's gain less.
func ChooseGPUs(all []engine.Device, list []string) (gpus []engine.Device, split []float32, err error) {
	if len(list) > 0 {
		if gpus, err = named(list, all); err != nil {
			return nil, nil, err
		}
	} else if gpus = slices.DeleteFunc(slices.Clone(all), func(d engine.Device) bool { return d.Shared }); len(gpus) == 0 {
		gpus = all
	}
	split = make([]float32, len(gpus))
	for i, d := range gpus {
		split[i] = float32(d.Free)
	}
	return gpus, split, nil
}

// named are the devices that a list names, in its order.
func named(list []string, all []engine.Device) ([]engine.Device, error) {
	var found []engine.Device
	for _, name := range list {
		i := slices.IndexFunc(all, func(d engine.Device) bool { return strings.EqualFold(d.Name, name) })
		if i < 0 {
			return nil, fmt.Errorf("no GPU %q: there are %s", name, names(all))
		}
		if slices.ContainsFunc(found, func(d engine.Device) bool { return d.Name == all[i].Name }) {
			return nil, fmt.Errorf("GPU %s is named twice", all[i].Name)
		}
		found = append(found, all[i])
	}
	return found, nil
}

func names(gpus []engine.Device) string {
	var all []string
	for _, d := range gpus {
		all = append(all, d.Name)
	}
	return strings.Join(all, ", ")
}
