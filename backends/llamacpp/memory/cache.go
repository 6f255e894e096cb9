package memory

import (
	"strings"

	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
)

// cacheBytes returns what the caches of some layers take.
func (p *Planner) cacheBytes(s engine.Settings, layers func(int) bool) int64 {
	room, window := int64(p.Cache.Cells(s)), int64(p.Cache.WindowCells(s))
	cells := room*p.cellBytes(s, p.whole(layers)) + window*p.cellBytes(s, p.windowed(layers))
	return int64(s.Slots) * (cells + p.stateBytes(layers))
}

// checkpointBytes returns what the checkpoints take.
func (p *Planner) checkpointBytes(s engine.Settings) int64 {
	all := func(int) bool { return true }
	bytes := p.stateBytes(all)
	if s.KVWindowed {
		bytes += int64(p.Cache.WindowCells(s)) * p.cellBytes(s, p.windowed(all))
	}
	return int64(p.Checkpoints) * bytes
}

// layer describes the memory that a layer keeps for a sequence. Before the model is loaded that is unknown, so every layer counts as one with a
// cache of tokens, except a model's last layers that share the cache of an earlier one.
func (p *Planner) layer(i int) engine.Layer {
	if i >= len(p.Cache.Layers) {
		return engine.Layer{Attends: i < p.offload.blocks-int(p.File.ArchInt("attention.shared_kv_layers", 0))}
	}
	return p.Cache.Layers[i]
}

// windowed returns the layers that look back through a sliding window only.
func (p *Planner) windowed(layers func(int) bool) func(int) bool {
	return func(i int) bool { return layers(i) && p.layer(i).Attends && p.layer(i).Windowed }
}

// whole returns the layers that attend to all tokens.
func (p *Planner) whole(layers func(int) bool) func(int) bool {
	return func(i int) bool { return layers(i) && p.layer(i).Attends && !p.layer(i).Windowed }
}

// stateBytes returns what the recurrent layers among some keep for a sequence, as 32-bit floats.
func (p *Planner) stateBytes(layers func(int) bool) int64 {
	bytes := int64(0)
	for i, layer := range p.Cache.Layers {
		if layers(i) {
			bytes += 4 * int64(layer.State)
		}
	}
	return bytes
}

// cellBytes returns what one token takes in the cache of some layers: keys and values.
func (p *Planner) cellBytes(s engine.Settings, layers func(int) bool) int64 {
	cell := p.cell(s, layers)
	key, value := s.CacheTypes()
	keys, _ := gguf.Bytes(strings.ToUpper(key), cell.Keys)
	values, _ := gguf.Bytes(strings.ToUpper(value), cell.Values)
	return keys + values
}

// HeadWidths are how many numbers a head has of a token's key, and of its value.
func HeadWidths(file *gguf.File) (key, value int64) {
	width := file.ArchInt("embedding_length", 0) / max(file.ArchInt("attention.head_count", 1), 1)
	return file.ArchInt("attention.key_length", width), file.ArchInt("attention.value_length", width)
}

// cell returns the numbers that some layers keep for a token: their share of the measured cell, or else the widths of their heads.
func (p *Planner) cell(s engine.Settings, layers func(int) bool) (sum engine.Cell) {
	measured, all := p.Cache.Cell(s), int64(len(p.Cache.Layers))
	heads := p.File.ArchInt("attention.head_count", 1)
	keys, values := HeadWidths(p.File)
	for layer := range p.offload.blocks {
		switch {
		case !layers(layer):
		case measured == engine.Cell{}:
			shared := p.File.LayerInt("attention.head_count_kv", layer, p.File.LayerInt("attention.head_count", layer, heads))
			sum.Keys += shared * keys
			sum.Values += shared * values
		case layer < int(all):
			sum.Keys, sum.Values = sum.Keys+measured.Keys, sum.Values+measured.Values
		}
	}
	if measured != (engine.Cell{}) {
		sum.Keys, sum.Values = sum.Keys/all, sum.Values/all
	}
	return sum
}
