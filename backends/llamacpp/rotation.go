package llamacpp

import (
	"fmt"

	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/memory"
	"proctor/backends/setting"
)

// rotate decides, once for a model, how its quantised cache is rotated, and says where it is not, though heads allow
// it: without a rotation it loses several times as much. Where llama.cpp's own graph rotates, a second rotation would
// undo the first.
func (m *Model) rotate() {
	s := &m.requested
	typeOfKeys, typeOfValues := s.CacheTypes()
	keys, values := memory.HeadWidths(m.file)
	r := kernels.Rotation{Keys: blockOf(typeOfKeys, keys),
		Values: min(blockOf(typeOfValues, values), kernels.LeastRotated)}
	latent := m.file.ArchInt("attention.kv_lora_rank", 0) > 0 // values are a part of the keys
	if r == (kernels.Rotation{}) || latent {
		return
	}
	does, may := m.options.library.Rotates()
	ours := may && !does && m.options.own() && m.options.GPULayers == 0 && s.FlashAttention && kernels.Rotates()
	if s.KVRotated = does || ours; ours {
		s.Rotation = r
	}
	if s.KVRotated || m.options.Warn == nil {
		return
	}
	why := fmt.Sprintf("%s does not; without GPUs, %s does it, or a newer one: %s", s.Version,
		setting.Kernels.As(KernelsProctor), setting.Engine.As("DIR"))
	if !may {
		why = llama.NeverRotate + " is set"
	}
	m.options.Warn(fmt.Sprintf("cache %s: keys and values are not rotated before they are quantised, as llama.cpp "+
		"does since April 2026 (%s): answers differ more from those with an f16 cache", s.KVType, why))
}

// blockOf is how many of a head's numbers are rotated together, as llama.cpp has it; 0 where they are stored as they
// are.
func blockOf(cacheType string, width int64) int32 {
	if !needsFlash(cacheType) || width == 0 || width%kernels.LeastRotated != 0 {
		return 0
	}
	return int32(min(width&-width, kernels.MostRotated))
}
