package llamacpp

import "strings"

// stateBytes returns what the recurrent layers among some keep for a sequence, as 32-bit floats.
func (m *Model) stateBytes(layers func(int) bool) int64 {
	if m.weights == nil || !m.weights.Recurrent() {
		return 0
	}
	count := int64(0)
	for layer := range int(m.key("block_count", 0)) {
		if layers(layer) && m.hasState(layer) {
			count++
		}
	}
	return 4 * count * m.stateSize()
}

// stateSize returns how many numbers a recurrent layer keeps for a sequence: the inputs that its convolution looks back to, and
// its state.
func (m *Model) stateSize() int64 {
	width := m.key("embedding_length", 0)
	if head := m.key("wkv.head_size", 0); head > 0 { // RWKV
		return width * (m.key("token_shift_count", 2) + head)
	}
	if back := m.key("shortconv.l_cache", 0); back > 0 { // LFM2
		return width * (back - 1)
	}
	inner, state := m.key("ssm.inner_size", 0), m.key("ssm.state_size", 0)
	back := max(m.key("ssm.conv_kernel", 1)-1, 0)
	return back*(inner+2*m.key("ssm.group_count", 0)*state) + inner*state
}

// hasState says whether a layer of a recurrent model is recurrent itself, which their headers leave to the architecture.
func (m *Model) hasState(layer int) bool {
	architecture := m.file.Architecture()
	switch {
	case !m.weights.Hybrid() || m.both():
		return true
	case architecture == "qwen3next":
		return (layer+1)%4 != 0
	case strings.HasPrefix(architecture, "nemotron_h") && m.perLayer("feed_forward_length", layer, 0) > 0:
		return false
	}
	return m.perLayer("attention.head_count_kv", layer, 0) == 0
}

// both says whether all layers are recurrent and attend to a cache as well.
func (m *Model) both() bool { return m.file.Architecture() == "falcon-h1" }

// attends says whether a layer attends to a cache of tokens.
func (m *Model) attends(layer int) bool {
	return m.weights == nil || !m.weights.Recurrent() || m.both() || !m.hasState(layer)
}
