package llama

import (
	"cmp"
	"math"
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// Sampler draws tokens by llama.cpp's chain: penalties, top-k, top-p, min-p, temperature, then a draw from what is left; at
// temperature 0 penalties, then the likeliest token.
type Sampler struct {
	lib   *Library
	chain unsafe.Pointer // llama_sampler
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
	l := e.lib
	sampler := &Sampler{l, l.LlamaSamplerChainInit(l.LlamaSamplerChainDefaultParams())}
	if s.Penalises() {
		sampler.add(l.LlamaSamplerInitPenalties(backends.PenaltyWindow,
			float32(cmp.Or(s.RepeatPenalty, 1)), float32(s.FrequencyPenalty), float32(s.PresencePenalty)))
		defer func() {
			for _, token := range prompt[max(0, len(prompt)-backends.PenaltyWindow):] {
				l.LlamaSamplerAccept(sampler.chain, token)
			}
		}()
	}
	if s.Temperature <= 0 {
		sampler.add(l.LlamaSamplerInitGreedy())
		return sampler
	}
	if s.TopK > 0 {
		sampler.add(l.LlamaSamplerInitTopK(int32(s.TopK)))
	}
	if s.TopP > 0 && s.TopP < 1 {
		sampler.add(l.LlamaSamplerInitTopP(float32(s.TopP), 1))
	}
	if s.MinP > 0 {
		sampler.add(l.LlamaSamplerInitMinP(float32(s.MinP), 1))
	}
	sampler.add(l.LlamaSamplerInitTemp(float32(s.Temperature)))
	sampler.add(l.LlamaSamplerInitDist(uint32(seed)))
	return sampler
}

func (s *Sampler) add(sampler unsafe.Pointer) { s.lib.LlamaSamplerChainAdd(s.chain, sampler) }

// Close frees the chain; it is safe to call twice.
func (s *Sampler) Close() {
	if s.chain != nil {
		s.lib.LlamaSamplerFree(s.chain)
		s.chain = nil
	}
}
