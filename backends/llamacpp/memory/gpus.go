package memory

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/llamacpp/engine"
)

// ChooseGPUs returns those of all that a list names, in its order. Without a list they are all that have memory of their own, or all
// where none has: those that share the machine's gain less.
func ChooseGPUs(all []engine.Device, list []string) ([]engine.Device, error) {
	if len(list) > 0 {
		return named(list, all)
	}
	own := slices.DeleteFunc(slices.Clone(all), func(d engine.Device) bool { return d.Shared })
	if len(own) == 0 {
		return all, nil
	}
	return own, nil
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
