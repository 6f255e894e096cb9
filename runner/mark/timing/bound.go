package timing

import (
	"time"

	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// WorkBound is the time for the run's work alone, at the run's own rates: each token of the prompts' prefix tree evaluated once, and
// every output token generated in a full batch.
//
//	seconds = unique tokens / prefill rate + output tokens / batched decode rate
//
// Efficiency is the work bound by the wall time. What it lacks to 1 went into evaluating prefixes again, idle slots, failed requests,
// and time outside the engine. It says nothing about the engine's speed: an engine that is slow all the time is efficient.
//
// The prefill rate is that of all items. The batched decode rate is output tokens by decode time over the items that ran while the
// slots were full: on average at least 0.95 of the largest number in flight, or all items where there are none. A run's end, where
// fewer items share a batch and tokens get dearer, is so left out. Where these items decoded more slowly than all do, the rate is that
// of all: efficiency never exceeds the engine's share of the wall time.
type WorkBound struct {
	Seconds stats.Number `json:"seconds"`
	Prefill stats.Number `json:"prefill_tokens_per_second,omitzero"`
	Decode  stats.Number `json:"decode_tokens_per_second,omitzero"`
	Full    int          `json:"items_with_full_slots"`
}

// bound computes the work bound where all its inputs are known.
func (s *Speed) bound(v results.View, wall time.Duration) {
	tokens, decode, full := 0, time.Duration(0), 0
	for a := range v.Scored() {
		if a.FullSlots {
			tokens += a.Usage.OutputTokens
			decode += a.Timing.Decode
			full++
		}
	}
	b := &WorkBound{Prefill: s.Prefill, Decode: s.Decode, Full: full}
	if batched := rate(tokens, decode); batched.Or(0) > b.Decode.Or(0) {
		b.Decode = batched
	}
	if s.UniqueTokens == 0 || !b.Prefill.Defined() || s.OutputTokens > 0 && !b.Decode.Defined() {
		return
	}
	takes := float64(s.UniqueTokens) / b.Prefill.Or(1)
	if s.OutputTokens > 0 {
		takes += float64(s.OutputTokens) / b.Decode.Or(1)
	}
	b.Seconds, s.WorkBound, s.Efficiency = stats.Of(takes), b, stats.Of(takes/wall.Seconds())
}
