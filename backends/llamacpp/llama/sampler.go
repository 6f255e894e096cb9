package llama

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/logits"
)

// Sampler draws tokens by llama.cpp's chain: penalties, top-k, top-p, min-p, temperature, then a draw from what is left; at
// temperature 0 penalties, then the likeliest token.
type Sampler struct {
	lib   *Library
	chain unsafe.Pointer // llama_sampler
	rest  unsafe.Pointer // the end of the chain, behind what cut does; nil where the chain does it all
	topK  int
	topP  float32 // where topK is 0
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
	return newSampler(e.lib, s, prompt, seed)
}

func newSampler(l *Library, s backends.Sampling, prompt []int32, seed uint32) *Sampler {
	chain := func() unsafe.Pointer { return l.LlamaSamplerChainInit(l.LlamaSamplerChainDefaultParams()) }
	sampler := &Sampler{lib: l, chain: chain()}
	end := sampler.chain
	add := func(link unsafe.Pointer) { l.LlamaSamplerChainAdd(end, link) }
	// startRest has what is added from now on in a chain of its own, which cut leads to as well.
	startRest := func() {
		if !s.Penalises() && sampler.rest == nil {
			sampler.rest = chain()
			add(sampler.rest)
			end = sampler.rest
		}
	}
	if s.Penalises() {
		add(l.LlamaSamplerInitPenalties(backends.PenaltyWindow,
			float32(cmp.Or(s.RepeatPenalty, 1)), float32(s.FrequencyPenalty), float32(s.PresencePenalty)))
		for _, token := range prompt[max(0, len(prompt)-backends.PenaltyWindow):] {
			l.LlamaSamplerAccept(sampler.chain, token)
		}
	}
	if s.Temperature <= 0 {
		add(l.LlamaSamplerInitGreedy())
		return sampler
	}
	if s.TopK > 0 {
		add(l.LlamaSamplerInitTopK(int32(s.TopK)))
		sampler.topK = s.TopK
		startRest()
	}
	if s.TopP > 0 && s.TopP < 1 {
		add(l.LlamaSamplerInitTopP(float32(s.TopP), 1))
		sampler.topP = float32(s.TopP)
		startRest()
	}
	if s.MinP > 0 {
		add(l.LlamaSamplerInitMinP(float32(s.MinP), 1))
	}
	add(l.LlamaSamplerInitTemp(float32(s.Temperature)))
	add(l.LlamaSamplerInitDist(seed))
	return sampler
}

// arrays have room for all tokens of a vocabulary, a few megabytes.
var arrays sync.Pool

// draw draws a token from the scores; best is the largest of them.
func (s *Sampler) draw(scores []float32, best float32) int32 {
	if s.rest != nil {
		if left := s.cut(scores, best); left != nil {
			return s.apply(s.rest, left, true)
		}
	}
	array, _ := arrays.Get().(*[]candidate)
	if array == nil {
		array = new([]candidate)
	}
	defer arrays.Put(array)
	*array = (*array)[:0]
	for token, score := range scores {
		*array = append(*array, candidate{token: int32(token), score: score})
	}
	return s.apply(s.chain, *array, false)
}

func (s *Sampler) apply(samplers unsafe.Pointer, to []candidate, sorted bool) int32 {
	all := &candidates{first: &to[0], n: uint(len(to)), sorted: sorted}
	s.lib.LlamaSamplerApply(samplers, all)
	token := to[all.drawn].token
	s.lib.LlamaSamplerAccept(s.chain, token)
	return token
}

// Close frees the chain; it is safe to call twice.
func (s *Sampler) Close() {
	if s.chain != nil {
		s.lib.LlamaSamplerFree(s.chain)
		s.chain = nil
	}
}

// Predict returns how likely the model holds the token at each place, and the likeliest tokens there. The scores must be
// numbers: [engine.NoToken] was drawn from none of them.
func (e *Engine) Predict(places []engine.Place, top int) []backends.Prediction {
	wanted := make([]logits.Place, len(places))
	for i, p := range places {
		wanted[i] = logits.Place{Scores: e.Scores(p.At), Token: p.Token, Ask: p.Ask}
	}
	predictions := make([]backends.Prediction, len(places))
	e.spread(len(places), func(from, to int) { copy(predictions[from:to], logits.Predict(wanted[from:to], top)) })
	return predictions
}

// spread divides n places among as many goroutines as the engine has threads, which wait for the next batch.
func (e *Engine) spread(n int, compute func(from, to int)) {
	var group sync.WaitGroup
	share := (n + e.most - 1) / e.most
	for from := 0; from < n; from += share {
		group.Go(func() { compute(from, min(from+share, n)) })
	}
	group.Wait()
}

// Scores are those of all tokens at a place of the last batch, decoded with Draw, until the next decode: what [Engine.Predict]
// reduces, for those who check it.
func (e *Engine) Scores(at int) []float32 {
	return unsafe.Slice(e.lib.LlamaGetLogitsIth(e.context, int32(at)), e.vocabulary)
}

// VocabularySHA256 is a digest of all tokens, their kinds, what texts begin and end with, and the name of the way in which
// texts are split before they become tokens, in hexadecimal.
func (m *Model) VocabularySHA256(splitting string) string {
	hash := sha256.New()
	l := m.lib
	fmt.Fprintln(hash, splitting, l.LlamaVocabType(m.vocab), l.LlamaVocabBos(m.vocab), l.LlamaVocabEos(m.vocab),
		l.LlamaVocabGetAddBos(m.vocab), l.LlamaVocabGetAddEos(m.vocab))
	for token := range m.Tokens() {
		fmt.Fprintf(hash, "%d %q\n", l.LlamaVocabGetAttr(m.vocab, token), m.text(token))
	}
	return hex.EncodeToString(hash.Sum(nil))
}
