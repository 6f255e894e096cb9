package llamacpp

import (
	"cmp"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
)

// allocate computes what memory a context with these settings takes: the machine's, and beside it that of GPUs.
func (m *Model) allocate(s engine.Settings) backends.Allocation {
	here := func(layer int) bool { return m.offload.of(layer) < 0 }
	return backends.Allocation{
		Slots: s.Slots, Context: s.Context, Weights: m.weightBytes(here), KV: m.cacheBytes(s, here) + m.checkpointBytes(s),
		Compute: m.computeBytes(s), Available: m.available, Devices: m.onDevices(s),
	}
}

// weightBytes returns what the tensors of some layers take. A model without an output matrix takes its token embedding for it
// too: on the CPU the kernels' packed copy is held beside the one that tokens are looked up in, a GPU has a copy of its own.
func (m *Model) weightBytes(layers func(int) bool) int64 {
	bytes := int64(0)
	for _, t := range m.file.Tensors {
		if layers(m.layerOf(t)) {
			bytes += t.Bytes
		}
	}
	embedding, found := m.tensor("token_embd.weight")
	output := m.offload.blocks
	if _, untied := m.tensor("output.weight"); untied || !found || !layers(output) || len(embedding.Shape) != 2 {
		return bytes
	}
	onGPU := m.offload.of(output) >= 0
	packed := m.options.Kernels == KernelsProctor && kernels.Packs(uint32(embedding.Type), embedding.Shape[0], embedding.Shape[1])
	if onGPU || packed {
		bytes += embedding.Bytes
	}
	return bytes
}

// cacheBytes returns what the caches of some layers take.
func (m *Model) cacheBytes(s engine.Settings, layers func(int) bool) int64 {
	cells := m.room(s)*m.cellBytes(s, m.whole(layers)) + m.windowRoom(s)*m.cellBytes(s, m.windowed(layers))
	return int64(s.Slots) * (cells + m.stateBytes(layers))
}

func (m *Model) tensor(name string) (gguf.Tensor, bool) {
	i := slices.IndexFunc(m.file.Tensors, func(t gguf.Tensor) bool { return t.Name == name })
	if i < 0 {
		return gguf.Tensor{}, false
	}
	return m.file.Tensors[i], true
}

// key returns a number of the model's architecture, else otherwise.
func (m *Model) key(name string, otherwise int64) int64 {
	if n, ok := m.file.Int(m.file.Architecture() + "." + name); ok {
		return n
	}
	return otherwise
}

// perLayer returns a number that may differ from layer to layer, for the layer given.
func (m *Model) perLayer(name string, layer int, otherwise int64) int64 {
	switch all := m.file.Ints(m.file.Architecture() + "." + name); {
	case len(all) == 1:
		return all[0]
	case layer < len(all):
		return all[layer]
	}
	return otherwise
}

// cellBytes returns what one token takes in the cache: keys and values of the layers' heads, half of it each.
func (m *Model) cellBytes(s engine.Settings, layers func(int) bool) int64 {
	heads := m.key("attention.head_count", 1)
	width := m.key("embedding_length", 0) / max(heads, 1)
	elements := int64(0)
	for layer := range int(m.key("block_count", 0)) {
		if !layers(layer) {
			continue
		}
		shared := m.perLayer("attention.head_count_kv", layer, m.perLayer("attention.head_count", layer, heads))
		elements += shared * (m.key("attention.key_length", width) + m.key("attention.value_length", width))
	}
	keys, _ := gguf.Bytes(strings.ToUpper(s.KVType), elements)
	values, _ := gguf.Bytes(strings.ToUpper(cmp.Or(s.ValueType, s.KVType)), elements)
	return (keys + values) / 2
}

// computeBytes estimates what a context takes of the machine's memory beside the cache.
func (m *Model) computeBytes(s engine.Settings) int64 {
	scores := 4*int64(max(s.Slots, s.Outputs))*m.vocabulary() + engineBytes
	if m.offload.layers > m.offload.blocks && len(m.offload.gpus) > 0 { // what goes to the GPUs: vectors, and the mask in both its forms
		return 4*tokens(s)*(m.cells(s)*3/2+m.key("embedding_length", 0)) + scores
	}
	return m.graphBytes(s, true) + m.workBytes(s) + scores
}

// engineBytes covers what does not grow with the settings: graph, threads, vocabulary.
const engineBytes = 8 << 20

// graphBytes estimates the buffer of a graph: the activations of a microbatch, as 32-bit floats, where most of them
// are alive. That is in attention (scores of all heads and five vectors), in the feed-forward layer (three inner
// vectors) or, where it is computed there, at the output (scores of all tokens); the mask of the attention stays throughout.
func (m *Model) graphBytes(s engine.Settings, output bool) int64 {
	context, embedding, inner := m.cells(s), m.key("embedding_length", 0), int64(0)
	for layer := range int(m.key("block_count", 0)) {
		inner = max(inner, m.perLayer("feed_forward_length", layer, 0))
	}
	attention, mask := m.heads()*context+5*embedding, context
	if s.FlashAttention {
		attention, mask = 5*embedding, context*3/2
	}
	most := max(attention, 3*inner+embedding)
	if output {
		most = max(most, m.vocabulary()+embedding)
	}
	return 4 * tokens(s) * (mask + most)
}

// workBytes estimates the buffer in which the CPU converts what it multiplies: at most the attention's scores, to
// 16-bit floats.
func (m *Model) workBytes(s engine.Settings) int64 {
	if s.FlashAttention {
		return 0
	}
	return 2 * tokens(s) * m.cells(s) * m.heads()
}

// cells is how many tokens one token attends to at most.
func (m *Model) cells(s engine.Settings) int64 {
	if s.KVUnified {
		return int64(s.Context * s.Slots)
	}
	return m.room(s)
}

// room is how many tokens a slot's cache has room for.
func (m *Model) room(s engine.Settings) int64 {
	if m.weights == nil {
		return int64(s.Context)
	}
	return int64(m.weights.Cells(s))
}

// tokens is how many a graph computes at most.
func tokens(s engine.Settings) int64 { return int64(min(s.Microbatch, s.Context*s.Slots)) }

func (m *Model) heads() int64 { return m.perLayer("attention.head_count", 0, 1) }

func (m *Model) vocabulary() int64 {
	return max(m.file.Len("tokenizer.ggml.tokens"), m.key("vocab_size", 0))
}
