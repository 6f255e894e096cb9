package llama

// #include "engine.h"
import "C"

import (
	"math"

	"proctor/backends"
)

// Sampler draws tokens by llama.cpp's chain: top-k, top-p, min-p, temperature, then a draw from what is left.
type Sampler struct {
	c *C.struct_llama_sampler
}

// NewSampler returns nil for greedy sampling, which needs no state.
func NewSampler(s backends.Sampling) *Sampler {
	if s.Temperature <= 0 {
		return nil
	}
	seed := s.Seed
	if seed == math.MaxUint32 {
		seed-- // llama.cpp takes this one for "any seed"
	}
	return &Sampler{C.proctor_sampler_new(C.int32_t(s.TopK), C.float(s.TopP), C.float(s.MinP), C.float(s.Temperature), C.uint32_t(seed))}
}

// Close frees the chain; it is safe on nil and to call twice.
func (s *Sampler) Close() {
	if s != nil && s.c != nil {
		C.llama_sampler_free(s.c)
		s.c = nil
	}
}
