package schedule

import (
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/stream"
)

// job is a request on its way.
type job struct {
	request  backends.Request
	tokens   []int32 // of the prompt, and of the completion what the request gives of it
	forced   []int32 // those of a forced completion that others of it follow: all but the last
	first    int     // position of the first token with a prediction: the prompt's last one
	alone    bool    // its prompt is decoded in batches of its own: one that it shared has failed
	partings []int   // where prompts to come part from this one, in tokens, as the request says; only where states are kept
	pulled   time.Time
	order    int // in which it was pulled
	text     *stream.Text
	loop     stream.Loop
	next     int32 // the token drawn last
	usage    backends.Usage
	timing   backends.Timing

	drawn    []int32   // of the completion, forced ones too
	reported time.Time // when they were handed over last

	predictions []backends.Prediction // so far
	thought     *thought              // of a request with a budget; nil for others
}

// prompt returns the prompt without the given tokens of the completion.
func (j *job) prompt() []int32 { return j.tokens[:j.usage.PromptTokens] }

// given is how many tokens of the completion its request gives.
func (j *job) given() int { return len(j.tokens) - len(j.prompt()) }

// sampler says how the token behind the last one is drawn; nil takes the likeliest.
func (j *job) sampler() *engine.Sampler {
	how := j.request.Sampling
	if j.request.Forced != nil || how.Temperature <= 0 && !how.Penalises() {
		return nil
	}
	s := &engine.Sampler{Sampling: how, Position: len(j.drawn)}
	if how.Penalises() {
		s.Before = slices.Concat(j.prompt(), j.drawn)
	}
	return s
}

// slot is one sequence of the cache and the job that it works on.
type slot struct {
	seq  int32
	held []int32 // the prompt tokens that the sequence begins with, of its job or of the one before
	size int     // tokens that the sequence holds: held, then generated ones
	job  *job    // nil: idle

	stops   []int // where the state of the job's prompt is to be kept, in ascending order of tokens
	started bool  // the job's prefix is in place and its prompt is being decoded, or has been
}

// newSlots returns n idle slots.
func newSlots(n int) []*slot {
	slots := make([]*slot, n)
	for seq := range slots {
		slots[seq] = &slot{seq: int32(seq)}
	}
	return slots
}

// prefilling says whether prompt tokens are still to be decoded. Before the start, held is the prompt before's.
func (s *slot) prefilling() bool {
	return s.job != nil && (!s.started || len(s.held) < len(s.job.tokens))
}

// running says whether the slot generates, or reads a forced completion.
func (s *slot) running() bool { return s.job != nil && !s.prefilling() }

// forces says whether tokens of a forced completion are still to be decoded.
func (s *slot) forces() bool { return s.size < len(s.job.tokens)+len(s.job.forced) }

// next returns the tokens that a running slot decodes next: the one that was drawn last, or those of a forced completion.
func (s *slot) next() []int32 {
	if s.job.request.Forced == nil {
		return []int32{s.job.next}
	}
	return s.job.forced[s.size-len(s.job.tokens):]
}
