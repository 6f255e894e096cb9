package metrics

import (
	"time"

	"proctor/runner/journal"
	"proctor/runner/results"
	"proctor/runner/stats"
)

// Speed is how fast the run was, in a run's own words: a benchmark's pp and tg are something else. Tokens, and what they
// are divided by, are those of the items that have a completion.
//
// Wall time is how long the backend had at least one item, from taking it to its answer: a pause between a run and its
// resumption does not count, nor does loading the model; asking again what failed does. It is known where every line says
// when it began.
//
// Engine time is prefill and decode. An engine in this process shares a batch's time out among the batch's tokens, so
// that engine time is time that really passed, and Outside is the rest of the wall time. A server that answers several
// requests at a time measures each of them apart, and these times overlap: it has a decode rate for each request only,
// and neither engine seconds nor efficiency.
type Speed struct {
	PromptTokens    int `json:"prompt_tokens"`
	ReusedTokens    int `json:"reused_tokens"`           // of the prompts, taken from the cache
	EvaluatedTokens int `json:"evaluated_tokens"`        // of the prompts, the rest
	UniqueTokens    int `json:"unique_tokens,omitempty"` // of the prompts, the size of their prefix tree; 0 where unknown
	OutputTokens    int `json:"output_tokens"`
	ThinkingTokens  int `json:"thinking_tokens"` // of the output

	Prefill       stats.Number `json:"prefill_tokens_per_second,omitzero"`         // evaluated tokens by prefill time
	Decode        stats.Number `json:"decode_tokens_per_second,omitzero"`          // output tokens by decode time, all slots together
	DecodeSlot    stats.Number `json:"decode_tokens_per_second_per_slot,omitzero"` // that one completion sees after its first token
	FirstTokenP50 stats.Number `json:"first_token_p50_seconds,omitzero"`
	FirstTokenP95 stats.Number `json:"first_token_p95_seconds,omitzero"`

	WallSeconds     stats.Number `json:"wall_seconds,omitzero"`
	EngineSeconds   stats.Number `json:"engine_seconds,omitzero"` // prefill and decode time
	LoadSeconds     stats.Number `json:"load_seconds,omitzero"`   // before the first request, in none of the others
	PerMinute       stats.Number `json:"questions_per_minute,omitzero"`
	ItemsPerMinute  stats.Number `json:"items_per_minute,omitzero"`
	PerEngineMinute stats.Number `json:"questions_per_engine_minute,omitzero"`
	MeanActive      stats.Number `json:"mean_active_slots,omitzero"`    // of the wall time
	Outside         stats.Number `json:"outside_engine_share,omitzero"` // of the wall time

	ReuseShare    stats.Number `json:"reuse_share,omitzero"`          // reused tokens of the prompts' tokens
	ReusePossible stats.Number `json:"reuse_share_possible,omitzero"` // what that would be if nothing was evaluated twice
	WorkBound     *WorkBound   `json:"work_bound,omitempty"`
	Efficiency    stats.Number `json:"efficiency,omitzero"` // the work bound of the wall time

	StopAtAnswer *StopAtAnswer `json:"stop_at_answer,omitempty"`
}

// StopAtAnswer says what came of ending completions at their answer. How many tokens that saved, only a run without it
// can tell.
type StopAtAnswer struct {
	RuleSet string       `json:"rule_set"` // whose answer
	Ended   int          `json:"ended"`    // completions
	Share   stats.Number `json:"share,omitzero"`
}

// usage adds up the items that have a completion.
type usage struct {
	prompt, reused, unique, output, thinking int

	prefill, decode time.Duration
	later           int           // tokens after the first one
	generating      time.Duration // from the first token on, of each item
	first           []float64     // seconds to the first token
	uncounted       int           // items without a count of new tokens
	ended           int           // at their answer
}

func (u *usage) add(it *results.Item) {
	u.prompt += it.Usage.PromptTokens
	u.reused += it.Usage.ReusedTokens
	u.unique += it.NewTokens
	u.output += it.Usage.OutputTokens
	u.thinking += it.Usage.ThinkingTokens
	u.prefill += it.Timing.Prefill
	u.decode += it.Timing.Decode
	if it.Timing.FirstToken > 0 {
		u.first = append(u.first, it.Timing.FirstToken.Seconds())
		if later := it.Timing.Total - it.Timing.FirstToken; later > 0 && it.Usage.OutputTokens > 1 {
			u.later += it.Usage.OutputTokens - 1
			u.generating += later
		}
	}
	if it.NewTokens == 0 {
		u.uncounted++
	}
	if it.AtAnswer {
		u.ended++
	}
}

func speedOf(run *results.Run) Speed {
	h, v, times := &run.Header, run.View(0), run.Times
	var u usage
	scored := 0
	for a := range v.Scored() {
		u.add(a.Item)
		scored++
	}
	s := Speed{
		PromptTokens: u.prompt, ReusedTokens: u.reused, EvaluatedTokens: u.prompt - u.reused, OutputTokens: u.output, ThinkingTokens: u.thinking,
		FirstTokenP50: stats.Quantile(u.first, 0.50), FirstTokenP95: stats.Quantile(u.first, 0.95),
		Prefill: rate(u.prompt-u.reused, u.prefill), Decode: rate(u.output, u.decode), DecodeSlot: rate(u.later, u.generating),
		EngineSeconds: seconds(u.prefill + u.decode), LoadSeconds: seconds(h.Load),
		ReuseShare: stats.Ratio(u.reused, u.prompt),
	}
	if u.uncounted == 0 && u.prompt > 0 {
		s.UniqueTokens = u.unique
		s.ReusePossible = stats.Ratio(u.prompt-u.unique, u.prompt)
	}
	questions := len(questionMeans(v)) // with a scored item
	s.PerEngineMinute = perMinute(questions, u.prefill+u.decode)
	if overlapping(h) {
		s.Decode, s.DecodeSlot = stats.Undefined, s.Decode
		s.EngineSeconds, s.PerEngineMinute = stats.Undefined, stats.Undefined
	}
	if rules := h.Sampling.StopAtAnswer; rules != "" {
		s.StopAtAnswer = &StopAtAnswer{rules, u.ended, stats.Ratio(u.ended, scored)}
	}
	if times == nil || times.Wall <= 0 {
		return s
	}
	s.WallSeconds = seconds(times.Wall)
	s.PerMinute, s.ItemsPerMinute = perMinute(questions, times.Wall), perMinute(scored, times.Wall)
	s.MeanActive = stats.Of(times.Busy.Seconds() / times.Wall.Seconds())
	if overlapping(h) || times.Engine <= 0 || times.Engine > times.Wall { // of several machines, too
		return s
	}
	s.Outside = stats.Of(1 - times.Engine.Seconds()/times.Wall.Seconds())
	s.bound(v, times.Wall)
	return s
}

// overlapping says whether times that the backend measured for different items may be the same time.
func overlapping(h *journal.Header) bool { return len(h.Backend.Servers) > 0 && h.Backend.Slots != 1 }

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
