package llamacpp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/gpu"
	"proctor/backends/llamacpp/llama"
)

// GPULayers of [Options] besides a number.
const (
	AllLayers  = 999
	AutoLayers = -1 // as many as the GPUs have free memory for
)

// autoRoom is how many slots' cache is kept free where the number of layers is chosen before that of the slots.
const autoRoom = 4

// An offload says which layers are on which GPU. A layer beyond the model's last is its output. The zero offload has none.
type offload struct {
	gpus   []llama.Device
	split  []float32 // the GPUs' shares of what is on GPUs
	layers int       // how many are on GPUs: the last ones of the model, and at last its output
	blocks int       // that the model has
}

// findGPUs returns the GPUs that the options ask for, and their shares.
func findGPUs(o *Options) (gpus []llama.Device, split []float32, err error) {
	found, err := gpu.Load(o.Backends)
	if err != nil {
		return nil, nil, err
	}
	all := llama.GPUs()
	gpus = slices.DeleteFunc(slices.Clone(all), func(d llama.Device) bool { return d.Shared })
	if len(gpus) == 0 {
		gpus = all // those that share the machine's memory gain less, and are taken where there are no others
	}
	if len(all) == 0 && (o.GPULayers != AutoLayers || len(o.Devices) > 0) {
		return nil, nil, errors.New(noGPU(found))
	}
	if len(o.Devices) > 0 {
		if gpus, err = named(o.Devices, all); err != nil {
			return nil, nil, err
		}
	}
	split = make([]float32, len(gpus))
	for i, d := range gpus {
		split[i] = float32(d.Free)
	}
	if len(o.TensorSplit) == 0 {
		return gpus, split, nil
	}
	if len(o.TensorSplit) != len(gpus) {
		return nil, nil, fmt.Errorf("a tensor split of %d shares for %d GPUs (%s): give each one share",
			len(o.TensorSplit), len(gpus), names(gpus))
	}
	for i, share := range o.TensorSplit {
		split[i] = float32(share)
	}
	return gpus, split, nil
}

// noGPU says why there is nothing to offload to, and what to do.
func noGPU(found gpu.Found) string {
	text := "GPU layers asked for, but no GPU is found: "
	if len(found.Refused) > 0 {
		return text + strings.Join(found.Refused, "; ")
	}
	return text + "no backend of ggml is in " + strings.Join(found.Folders, ", ") + "; " + gpu.Build
}

// named are the devices that a list names, in its order.
func named(list []string, all []llama.Device) ([]llama.Device, error) {
	var found []llama.Device
	for _, name := range list {
		i := slices.IndexFunc(all, func(d llama.Device) bool { return strings.EqualFold(d.Name, name) })
		if i < 0 {
			return nil, fmt.Errorf("no GPU %q: there are %s", name, names(all))
		}
		if slices.ContainsFunc(found, func(d llama.Device) bool { return d.Name == all[i].Name }) {
			return nil, fmt.Errorf("GPU %s is named twice", all[i].Name)
		}
		found = append(found, all[i])
	}
	return found, nil
}

func names(gpus []llama.Device) string {
	var all []string
	for _, d := range gpus {
		all = append(all, d.Name)
	}
	return strings.Join(all, ", ")
}

// of returns the place of the GPU that a layer is on, -1 for the CPU: as llama.cpp does it (load_tensors in llama-model.cpp).
func (o offload) of(layer int) int {
	on := min(o.layers, o.blocks+1)
	first := max(o.blocks-o.layers, 0)
	if len(o.gpus) == 0 || layer < first || layer-first >= on {
		return -1
	}
	ends := make([]float32, len(o.split))
	sum := float32(0)
	for i, share := range o.split {
		sum += share
		ends[i] = sum
	}
	at := float32(layer-first) / float32(on)
	return min(sort.Search(len(ends), func(i int) bool { return at < ends[i]/sum }), len(ends)-1)
}

// counts are how many layers each GPU has, the output among them.
func (o offload) counts() []int {
	all := make([]int, len(o.gpus))
	for layer := range o.blocks + 1 {
		if i := o.of(layer); i >= 0 {
			all[i]++
		}
	}
	return all
}

// used are the GPUs that have layers, as a run's record names them.
func (o offload) used() []string {
	var all []string
	for i, n := range o.counts() {
		if n > 0 {
			all = append(all, o.gpus[i].Name+" "+o.gpus[i].Description)
		}
	}
	return all
}

// place decides which layers go to GPUs, before the model is loaded.
func (m *Model) place() error {
	m.offload = offload{blocks: int(m.key("block_count", 0))}
	asked := m.options.GPULayers
	if asked == 0 {
		return nil
	}
	gpus, split, err := findGPUs(&m.options)
	if err != nil {
		return err
	}
	m.offload.gpus, m.offload.split = gpus, split
	fits := func(layers int) bool {
		m.offload.layers = layers
		return m.weightsFit(asked == AutoLayers)
	}
	all := m.offload.blocks + 1
	most := sort.Search(all, func(n int) bool { return !fits(n + 1) })
	if len(gpus) == 0 {
		most = 0
	}
	if asked == AutoLayers {
		m.offload.layers, m.options.GPULayers = most, most
		return nil
	}
	m.options.GPULayers = min(asked, all)
	if fits(m.options.GPULayers) {
		return nil
	}
	for _, d := range m.allocate(m.leastSettings()).Devices {
		if !fitsInto(d.Weights, d.Available) {
			return fmt.Errorf("%s on %s take %s, %s are free there: %s",
				english.Plural(d.Layers, "layer", ""), d.Name, bytesText(d.Weights), bytesText(d.Available), fewerLayers(most))
		}
	}
	return nil
}

func fewerLayers(fit int) string {
	if fit == 0 {
		return "not one layer would fit; leave --gpu-layers out to run on the CPU"
	}
	return fmt.Sprintf("--gpu-layers %d would fit", fit)
}

// leastSettings are those that the options ask for, with a cache for few prompts where they leave it open.
func (m *Model) leastSettings() engine.Settings {
	s := m.options.settings()
	s.Slots = cmp.Or(s.Slots, autoRoom)
	trained := cmp.Or(m.file.ContextLength(), fallbackTokens)
	s.Context = cmp.Or(s.Context, roundUp(min(trained, fallbackTokens)))
	return s
}

// weightsFit says whether the GPUs have room for the weights, or for all that they are to hold.
func (m *Model) weightsFit(all bool) bool {
	for _, d := range m.allocate(m.leastSettings()).Devices {
		need := d.Weights
		if all {
			need = d.Total()
		}
		if !fitsInto(need, d.Available) {
			return false
		}
	}
	return true
}

// onDevices computes what the GPUs hold of a context with these settings.
func (m *Model) onDevices(s engine.Settings) []backends.DeviceAllocation {
	counts := m.offload.counts()
	all := make([]backends.DeviceAllocation, 0, len(counts))
	for i, d := range m.offload.gpus {
		if counts[i] == 0 {
			continue
		}
		on := func(layer int) bool { return m.offload.of(layer) == i }
		all = append(all, backends.DeviceAllocation{
			Name: d.Name, Layers: counts[i], Available: d.Free, Shared: d.Shared,
			Weights: m.weightBytes(on), KV: m.cacheBytes(s, on), Compute: m.graphBytes(s, on(m.offload.blocks)) + engineBytes,
		})
	}
	return all
}

// layerOf is the layer that a tensor belongs to: its block, the output, or -1 for what turns tokens into vectors.
func (m *Model) layerOf(t gguf.Tensor) int {
	var block int
	if n, _ := fmt.Sscanf(t.Name, "blk.%d.", &block); n == 1 {
		return block
	}
	if strings.HasPrefix(t.Name, "output") {
		return m.offload.blocks
	}
	return -1
}
