package llama

// #include "engine.h"
import "C"

import (
	"cmp"
	"math"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// Sampler draws tokens by llama.cpp's chain: penalties, top-k, top-p, min-p, temperature, then a draw from what is left; at
// temperature 0 penalties, then the likeliest token.
type Sampler struct {
	c *C.struct_llama_sampler
}

// NewSampler returns a sampler for the completion of a prompt, on whose last tokens penalties look back, as they do in
// llama.cpp's server and Ollama. It is nil for greedy sampling without penalties, which needs no state.
func (e *Engine) NewSampler(s backends.Sampling, prompt []int32) engine.Sampler {
	if s.Temperature <= 0 && !s.Penalises() {
		return nil
	}
	seed := s.Seed
	if seed == math.MaxUint32 {
		seed-- // llama.cpp takes this one for "any seed"
	}
	chain := C.struct_proctor_sampling{
		top_k: C.int32_t(s.TopK), top_p: C.float(s.TopP), min_p: C.float(s.MinP), temperature: C.float(s.Temperature),
		seed: C.uint32_t(seed),
	}
	if s.Penalises() {
		chain.penalty_window = backends.PenaltyWindow
		chain.repeat_penalty = C.float(cmp.Or(s.RepeatPenalty, 1))
		chain.presence_penalty, chain.frequency_penalty = C.float(s.PresencePenalty), C.float(s.FrequencyPenalty)
	}
	sampler := &Sampler{C.proctor_sampler_new(chain)}
	if s.Penalises() {
		for _, token := range prompt[max(0, len(prompt)-backends.PenaltyWindow):] {
			C.llama_sampler_accept(sampler.c, C.llama_token(token))
		}
	}
	return sampler
}

// Close frees the chain; it is safe to call twice.
func (s *Sampler) Close() {
	if s.c != nil {
		C.llama_sampler_free(s.c)
		s.c = nil
	}
}
