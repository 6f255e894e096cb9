package memory

import (
	"fmt"
	"strings"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
)

// holds refuses a model that is larger than the memory there is.
func (p *Planner) holds(s engine.Settings) error {
	planned := p.Allocate(s)
	need := planned.Weights
	for _, d := range planned.Devices {
		if d.Shared {
			need += d.Weights
		}
	}
	if p.Available > 0 && need > p.Available {
		return fmt.Errorf("%s: its tensors take %s, %s: choose a smaller quantisation", p.File.Path, size(need), p.free(need))
	}
	return nil
}

// weightBytes returns what the tensors of some layers take. A model without an output matrix takes its token embedding for it
// too: on the CPU the packed copy is held beside the one that tokens are looked up in, a GPU has a copy of its own.
func (p *Planner) weightBytes(layers func(int) bool) int64 {
	bytes := int64(0)
	for _, t := range p.File.Tensors {
		if layers(p.layerOf(t)) {
			bytes += t.Bytes
		}
	}
	embedding, found := p.File.Tensor("token_embd.weight")
	output := p.offload.blocks
	if _, untied := p.File.Tensor("output.weight"); untied || !found || !layers(output) || len(embedding.Shape) != 2 {
		return bytes
	}
	if p.offload.of(output) >= 0 || p.Packs != nil && p.Packs(embedding) {
		bytes += embedding.Bytes
	}
	return bytes
}

// layerOf is the layer that a tensor belongs to: its block, the output, or -1 for what turns tokens into vectors.
func (p *Planner) layerOf(t gguf.Tensor) int {
	var block int
	if n, _ := fmt.Sscanf(t.Name, "blk.%d.", &block); n == 1 {
		return block
	}
	if strings.HasPrefix(t.Name, "output") {
		return p.offload.blocks
	}
	return -1
}
