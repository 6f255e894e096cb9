package timing

import (
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/runner/journal"
	"proctor/runner/mark/results"
	"proctor/runner/mark/stats"
)

// Speed is a run's speed; a benchmark's pp and tg are something else. Tokens and times are those of the items with a completion.
//
// Wall time is the time during which the backend had at least one item. A pause between a run and its resumption does not count, nor
// does loading the model; asking failed items again does. It is known where every line has a time.
//
// Engine time is prefill and decode. An engine in this process divides a batch's time among the batch's tokens, so engine time is real
// time, and Outside is the rest of the wall time. A server that answers several requests at a time measures each separately, and these
// times overlap: it has a decode rate for each request only, and no engine seconds.
type Speed struct {
	PromptTokens   int `json:"prompt_tokens"`
	ReusedTokens   int `json:"reused_tokens"` // of the prompts, taken from the cache
	OutputTokens   int `json:"output_tokens"`
	ThinkingTokens int `json:"thinking_tokens"` // of the output
	// Uncounted are answers of whose tokens neither the server nor a tokenizer has a number; their time is in no rate of
	// decoding.
	Uncounted int `json:"uncounted_answers,omitempty"`

	DraftedTokens  int          `json:"drafted_tokens,omitempty"`  // guessed ahead by the server's speculative decoding
	AcceptedTokens int          `json:"accepted_tokens,omitempty"` // of them, taken into the output
	AcceptedShare  stats.Number `json:"accepted_share,omitzero"`   // of the drafted ones

	// The rates over the wall time, which a user waits for, whatever the engine does meanwhile.
	OutputRate stats.Number `json:"output_tokens_per_second,omitzero"`

	// By the engine's own time for the one or the other, which is only a part of the wall time.
	Prefill    stats.Number `json:"prefill_tokens_per_second,omitzero"`         // evaluated tokens by prefill time
	Decode     stats.Number `json:"decode_tokens_per_second,omitzero"`          // output tokens by decode time, all slots together
	DecodeSlot stats.Number `json:"decode_tokens_per_second_per_slot,omitzero"` // that one completion sees after its first token

	FirstToken Distribution `json:"first_token_seconds,omitzero"` // from being taken to the first token
	Latency    Distribution `json:"item_seconds,omitzero"`        // from being taken to being answered

	WallSeconds     stats.Number `json:"wall_seconds,omitzero"`
	EngineSeconds   stats.Number `json:"engine_seconds,omitzero"` // prefill and decode time
	LoadSeconds     stats.Number `json:"load_seconds,omitzero"`   // before the first request, in none of the others
	PerMinute       stats.Number `json:"questions_per_minute,omitzero"`
	PerEngineMinute stats.Number `json:"questions_per_engine_minute,omitzero"`
	MeanActive      stats.Number `json:"mean_active_slots,omitzero"`    // of the wall time
	Outside         stats.Number `json:"outside_engine_share,omitzero"` // of the wall time

	ReuseShare    stats.Number `json:"reuse_share,omitzero"`          // reused tokens of the prompts' tokens
	ReusePossible stats.Number `json:"reuse_share_possible,omitzero"` // reuse share if nothing was evaluated twice

	Others *Others `json:"other_programs,omitempty"` // absent where the journal has none

	Cost
}

// work is the time and the tokens of the items with a completion.
type work struct {
	prefill, decode time.Duration
	counted         time.Duration // of decode, for tokens that somebody counted
	later           int           // tokens after the first one
	generating      time.Duration // from the first token on, of each item
	first, whole    []float64     // seconds to the first token, and to the answer
	unique          int           // prompt tokens that no prompt before begins with
	uncounted       int           // items without a count of those
}

// add counts an item's tokens.
func (s *Speed) add(it *results.Item, w *work) {
	s.PromptTokens += it.Usage.PromptTokens
	s.ReusedTokens += it.Usage.ReusedTokens
	s.OutputTokens += it.Usage.OutputTokens
	s.ThinkingTokens += it.Usage.ThinkingTokens
	s.DraftedTokens += it.Usage.DraftedTokens
	s.AcceptedTokens += it.Usage.AcceptedTokens
	w.unique += it.NewTokens
	w.prefill += it.Timing.Prefill
	w.decode += it.Timing.Decode
	if it.Usage.OutputTokens > 0 {
		w.counted += it.Timing.Decode
	} else if it.Timing.Decode > 0 && it.Finish != backends.FinishError && it.LetterLogprobs == nil {
		s.Uncounted++
	}
	if it.NewTokens == 0 {
		w.uncounted++
	}
	if it.Resumed > 0 { // an interruption is no latency
		return
	}
	if it.Timing.Total > 0 {
		w.whole = append(w.whole, it.Timing.Total.Seconds())
	}
	if it.Timing.FirstToken > 0 {
		w.first = append(w.first, it.Timing.FirstToken.Seconds())
		if later := it.Timing.Total - it.Timing.FirstToken; later > 0 && it.Usage.OutputTokens > 1 {
			w.later += it.Usage.OutputTokens - 1
			w.generating += later
		}
	}
}

// Of returns the speed of a run.
func Of(run *results.Run) Speed {
	h, v, times := &run.Header, run.View(0), run.Times
	s, w := Speed{LoadSeconds: seconds(h.History.First().Load), Cost: CostOf(v, ClockOf(run))}, work{}
	for a := range v.Scored() {
		s.add(a.Item, &w)
	}
	questions := 0 // with a scored item
	for question := range v.Questions() {
		if question.Tally().Scored() > 0 {
			questions++
		}
	}
	s.ReuseShare, s.AcceptedShare = stats.Ratio(s.ReusedTokens, s.PromptTokens), stats.Ratio(s.AcceptedTokens, s.DraftedTokens)
	if w.uncounted == 0 && s.PromptTokens > 0 {
		s.ReusePossible = stats.Ratio(s.PromptTokens-w.unique, s.PromptTokens)
	}
	s.FirstToken, s.Latency = distributionOf(w.first), distributionOf(w.whole)
	s.Prefill = rate(s.PromptTokens-s.ReusedTokens, w.prefill)
	if overlapping(h) {
		s.DecodeSlot = rate(s.OutputTokens, w.counted)
	} else {
		s.Decode, s.DecodeSlot = rate(s.OutputTokens, w.counted), rate(w.later, w.generating)
		s.EngineSeconds, s.PerEngineMinute = seconds(w.prefill+w.decode), perMinute(questions, w.prefill+w.decode)
	}
	if times == nil || times.Wall <= 0 {
		return s
	}
	s.Others = othersOf(times.Others, h.History.First().Host.Cores)
	s.WallSeconds = seconds(times.Wall)
	outputs := s.OutputTokens
	for _, it := range run.Earlier { // their time is in the wall time, too
		outputs += it.Usage.OutputTokens
	}
	s.OutputRate, s.PerMinute = rate(outputs, times.Wall), perMinute(questions, times.Wall)
	s.MeanActive = stats.Of(times.Busy.Seconds() / times.Wall.Seconds())
	if !overlapping(h) && times.Engine > 0 && times.Engine <= times.Wall { // not of several machines, either
		s.Outside = stats.Of(1 - times.Engine.Seconds()/times.Wall.Seconds())
	}
	return s
}

// rate is n a second, undefined without time or without anything done in it.
func rate(n int, took time.Duration) stats.Number {
	if took <= 0 || n <= 0 {
		return stats.Undefined
	}
	return stats.Of(float64(n) / took.Seconds())
}

func perMinute(n int, took time.Duration) stats.Number {
	if took <= 0 {
		return stats.Undefined
	}
	return stats.Of(float64(n) / took.Minutes())
}

// seconds is a time, undefined where there is none.
func seconds(took time.Duration) stats.Number {
	if took <= 0 {
		return stats.Undefined
	}
	return stats.Of(took.Seconds())
}

// A Distribution is the times of items, in seconds.
type Distribution struct {
	P50  stats.Number `json:"p50"`
	P95  stats.Number `json:"p95"`
	Most stats.Number `json:"max"`
}

// distributionOf is zero where there are fewer than two times.
func distributionOf(seconds []float64) Distribution {
	if len(seconds) < 2 {
		return Distribution{}
	}
	return Distribution{stats.Quantile(seconds, 0.50), stats.Quantile(seconds, 0.95), stats.Of(slices.Max(seconds))}
}

// Others is the CPU use of other programs during the run, on average over the time.
type Others struct {
	backends.Load
	Least   stats.Number `json:"cpu_share_least"` // lowest of the recorded intervals, each a second or longer
	Most    stats.Number `json:"cpu_share_most"`
	Seconds stats.Number `json:"seconds"` // that it is known for
}

// Busy says whether they took enough to affect the rates.
func (o *Others) Busy() bool { return o != nil && o.Load.Busy() }

// Taken is their use, on average and in range, for people: 1.1 of 2 cores (0.1 to 1.9).
func (o *Others) Taken() string {
	text, cpus := o.Load.Taken(), float64(o.CPUs)
	if o.Least != o.Most {
		text += fmt.Sprintf(" (%.1f to %.1f)", o.Least.Or(0)*cpus, o.Most.Or(0)*cpus)
	}
	return text
}

// String is [backends.Load.String] with the range.
func (o *Others) String() string { return "other programs took " + o.Taken() + o.Computed() }

// othersOf is nil where the journal has none.
func othersOf(all []journal.Others, cpus int) *Others {
	if len(all) == 0 {
		return nil
	}
	least, most, taken, over := all[0].Share, all[0].Share, 0.0, time.Duration(0)
	load := backends.Load{CPUs: max(1, cpus)}
	for _, each := range all {
		least, most = min(least, each.Share), max(most, each.Share)
		taken += each.Share * each.Over.Seconds()
		over += each.Over
		load.Computing(each.Threads)
	}
	load.Share = taken / over.Seconds()
	return &Others{load, stats.Of(least), stats.Of(most), stats.Of(over.Seconds())}
}
