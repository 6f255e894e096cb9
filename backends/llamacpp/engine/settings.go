package engine

import (
	"proctor/backends"
	"proctor/backends/llamacpp/kernels"
)

// MaxSequences is how many sequences a context has at most: llama.cpp's LLAMA_MAX_SEQ.
const MaxSequences = 256

// Settings are those of a context, fixed for its life.
type Settings struct {
	// What a run's record says too: Slots, Context, Batch, Microbatch, Threads, KVType, FlashAttention and KVWindowed
	// count.
	backends.EngineInfo

	Watch Watch // says on how many of the threads to compute; nil: always on all of them
	// Rotation is how package kernels rotates a quantised cache.
	Rotation kernels.Rotation
	Outputs  int // places of a batch whose scores are held at a time; 0: one a slot
}

// A Watch leaves cores to other programs. Before each batch, Threads returns on how many threads to compute it, up to most.
type Watch interface{ Threads(most int) int }

// CacheTypes are the element types of the cache's keys and values.
func (s *Settings) CacheTypes() (key, value string) {
	key, value, _ = backends.CacheTypes(s.KVType) // was looked at when the options were
	return key, value
}
