package llamacpp

import (
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/schedule"
)

// layer is what one keeps of a sequence's tokens. Before the model is loaded that is not known: it may all be a cache of tokens.
func (m *Model) layer(i int) llama.Layer {
	if m.weights == nil {
		return llama.Layer{Attends: true}
	}
	return m.weights.Layer(i)
}

// stateBytes returns what the recurrent layers among some keep for a sequence, as 32-bit floats.
func (m *Model) stateBytes(layers func(int) bool) int64 {
	bytes := int64(0)
	for i := range m.offload.blocks {
		if layers(i) {
			bytes += 4 * int64(m.layer(i).State)
		}
	}
	return bytes
}

// windowed are those of some layers that look back through a sliding window only.
func (m *Model) windowed(layers func(int) bool) func(int) bool {
	return func(i int) bool { return layers(i) && m.layer(i).Windowed }
}

// whole are those of some layers that attend to all tokens.
func (m *Model) whole(layers func(int) bool) func(int) bool {
	return func(i int) bool { return layers(i) && m.layer(i).Attends && !m.layer(i).Windowed }
}

// checkpointBytes returns what the checkpoints take.
func (m *Model) checkpointBytes(s engine.Settings) int64 {
	all := func(int) bool { return true }
	bytes := m.stateBytes(all)
	if s.KVWindowed {
		bytes += m.windowRoom(s) * m.cellBytes(s, m.windowed(all))
	}
	return schedule.MostCheckpoints * bytes
}

// windowRoom is how many tokens a slot's cache has room for in layers with a sliding window.
func (m *Model) windowRoom(s engine.Settings) int64 {
	if m.weights == nil {
		return int64(s.Context)
	}
	return int64(m.weights.WindowCells(s))
}
