package tune

import (
	"fmt"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// typicalOwnPart is 5 where a fifth of a prompt's tokens are its own, and it shares the others. It stands for a workload that does not tell.
const typicalOwnPart = 5

// Pace is how fast an engine was, in tokens a second. Decoding is that of all slots together.
type Pace struct {
	Prefill float64 `json:"prefill_tokens_per_second"`
	Decode  float64 `json:"decode_tokens_per_second"`
}

// seconds is how long a request of the workload takes at this pace, in a run that keeps the slots busy.
func (p Pace) seconds(w backends.Workload) float64 {
	return float64(ownTokens(w))/p.Prefill + float64(output(w))/p.Decode
}

// output is how many tokens a completion is taken to have.
func output(w backends.Workload) int {
	if w.OutputTokens > 0 {
		return w.OutputTokens
	}
	return min(w.MaxTokens, backends.AssumedOutput)
}

// Expected is how long the whole workload takes, if completions are as long as they typically are.
func (p Pace) Expected(w backends.Workload) time.Duration {
	return time.Duration(p.seconds(w) * float64(w.Requests) * float64(time.Second))
}

// ownTokens is how many tokens of a prompt are to be decoded for it alone, on average.
func ownTokens(w backends.Workload) int {
	if w.UniqueTokens > 0 && w.Requests > 0 {
		return w.UniqueTokens / w.Requests
	}
	return w.PromptTokens / typicalOwnPart
}

// Calibration is a choice of settings and what it rests on.
type Calibration struct {
	Engine backends.EngineInfo `json:"engine"` // only slots, microbatch, threads, flash attention and the kind of cache are chosen here
	Pace   Pace                `json:"pace"`
	Took   time.Duration       `json:"took_ns"`
	stored bool                // by an earlier run
	beside backends.Load       // what other programs did meanwhile
}

// String is the pace for people.
func (p Pace) String() string {
	return fmt.Sprintf("prefill %.0f t/s, decode %.0f t/s", p.Prefill, p.Decode)
}

// Assuming says, after what a time rests on, how long completions are taken to be.
func Assuming(rests string, w backends.Workload) string {
	switch {
	case w.MaxTokens == 0:
		return rests
	case w.OutputSource != "":
		return fmt.Sprintf("%s, %d tokens an answer, %s", rests, output(w), w.OutputSource)
	}
	return fmt.Sprintf("%s, %d tokens an answer", rests, output(w))
}

// String says what was found, for people.
func (c Calibration) String() string {
	if c.stored {
		return "calibrated before: " + c.Pace.String()
	}
	text := fmt.Sprintf("calibrated in %.1f s: %s", c.Took.Seconds(), c.Pace)
	if c.beside.Crowded() {
		text += fmt.Sprintf(" (%s; not kept for later runs)", c.beside)
	}
	return text
}

// apply changes settings to what was chosen.
func (c Calibration) apply(s engine.Settings) engine.Settings {
	s.Slots, s.Microbatch, s.Threads = c.Engine.Slots, c.Engine.Microbatch, c.Engine.Threads
	s.FlashAttention, s.KVUnified = c.Engine.FlashAttention, c.Engine.KVUnified
	s.Batch = max(s.Batch, s.Microbatch)
	return s
}
