package memory

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/dustin/go-humanize/english"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/setting"
)

// autoRoom is how many slots' cache is kept free where the layers are chosen before the slots.
const autoRoom = 4

// An offload says which layers are on which GPU, shared out by free memory. A layer beyond the model's last is its output.
type offload struct {
	gpus   []engine.Device
	layers int // how many are on GPUs: the last ones of the model, and at last its output
	blocks int // that the model has
}

// whole says whether all layers are on GPUs, and the output.
func (o offload) whole() bool { return len(o.gpus) > 0 && o.layers > o.blocks }

// of returns the place of the GPU that a layer is on, -1 for the CPU: as llama.cpp does it (load_tensors in llama-model.cpp).
func (o offload) of(layer int) int {
	on := min(o.layers, o.blocks+1)
	first := max(o.blocks-o.layers, 0)
	if len(o.gpus) == 0 || layer < first || layer-first >= on {
		return -1
	}
	ends := make([]float32, len(o.gpus))
	sum := float32(0)
	for i, gpu := range o.gpus {
		sum += float32(gpu.Free)
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

// Used are the GPUs that have layers, as a run's record names them.
func (p *Planner) Used() []string {
	var all []string
	for i, n := range p.offload.counts() {
		if n > 0 {
			all = append(all, p.offload.gpus[i].Name+" "+p.offload.gpus[i].Description)
		}
	}
	return all
}

// Place decides which layers go to which GPUs, before the model is loaded, and refuses what there is no memory for: as many layers as
// the settings say, or with auto as many as the GPUs have free memory for. It returns how many they are, the output counted as one.
func (p *Planner) Place(requested engine.Settings, auto bool, gpus []engine.Device) (layers int, err error) {
	p.offload = offload{gpus: gpus, blocks: int(p.File.ArchInt("block_count", 0))}
	s := p.least(requested)
	fits := func(layers int) bool {
		p.offload.layers = layers
		return p.weightsFit(s, auto)
	}
	all := p.offload.blocks + 1
	most := 0
	if len(gpus) > 0 {
		most = sort.Search(all, func(n int) bool { return !fits(n + 1) })
	}
	layers = min(requested.GPULayers, all)
	if auto {
		layers = most
	}
	if !fits(layers) {
		for _, d := range p.Allocate(s).Devices {
			if !fitsInto(d.Weights, d.Available) {
				return 0, fmt.Errorf("%s on %s take %s, %s are free there%s: %s", english.Plural(d.Layers, "layer", ""), d.Name,
					size(d.Weights), size(d.Available), leftAlone(d.Weights, d.Available), fewerLayers(most))
			}
		}
	}
	return layers, p.holds(s)
}

func fewerLayers(fit int) string {
	if fit == 0 {
		return fmt.Sprintf("not one layer would fit; leave %s out to run on the CPU", setting.GPULayers)
	}
	return fmt.Sprintf("%s %d would fit", setting.GPULayers, fit)
}

// least are settings with a cache for few prompts where they leave it open.
func (p *Planner) least(s engine.Settings) engine.Settings {
	s.Slots = cmp.Or(s.Slots, autoRoom)
	trained := cmp.Or(p.File.ContextLength(), fallbackTokens)
	s.Context = cmp.Or(s.Context, engine.Cells(min(trained, fallbackTokens)))
	return s
}

// weightsFit says whether the GPUs have room for the weights, or for all that they are to hold.
func (p *Planner) weightsFit(s engine.Settings, all bool) bool {
	for _, d := range p.Allocate(s).Devices {
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
func (p *Planner) onDevices(s engine.Settings) []backends.DeviceAllocation {
	counts := p.offload.counts()
	all := make([]backends.DeviceAllocation, 0, len(counts))
	for i, d := range p.offload.gpus {
		if counts[i] == 0 {
			continue
		}
		on, outputs := func(layer int) bool { return p.offload.of(layer) == i }, int64(0)
		if on(p.offload.blocks) {
			outputs = tokens(s)
		}
		all = append(all, backends.DeviceAllocation{
			Name: d.Name, Layers: counts[i], Available: d.Free, Shared: d.Shared,
			Weights: p.weightBytes(on), KV: p.cacheBytes(s, on), Compute: p.graphBytes(s, outputs) + engineBytes,
		})
	}
	return all
}
