package bench

import (
	"slices"
	"strconv"
	"time"

	"proctor/backends"
	"proctor/runner/stats"
)

// Exam is how fast a model sits an exam whose prompts begin alike. Its figures have a run's names, since a run's speed
// is something else than a test's.
type Exam struct {
	Head
	Slots     int    `json:"slots"`         // sequences decoded at a time
	Unified   bool   `json:"kv_unified"`    // one cache for all slots instead of one each
	Context   int    `json:"context"`       // tokens that a slot holds
	Questions int    `json:"questions"`     // of each repetition
	Shared    int    `json:"shared_tokens"` // that all prompts begin with
	Own       int    `json:"own_tokens"`    // of each prompt after those
	Generate  int    `json:"max_tokens"`    // generated for each
	Time      string `json:"test_time"`

	PromptTokens    int `json:"prompt_tokens"` // of the last repetition, as are the others
	ReusedTokens    int `json:"reused_tokens"`
	EvaluatedTokens int `json:"evaluated_tokens"`
	OutputTokens    int `json:"output_tokens"`

	PerMinute          float64      `json:"questions_per_minute"`
	PerMinuteDeviation float64      `json:"questions_per_minute_stddev"`
	Prefill            float64      `json:"prefill_tokens_per_second"` // evaluated tokens by prefill time
	PrefillDeviation   float64      `json:"prefill_tokens_per_second_stddev"`
	Decode             float64      `json:"decode_tokens_per_second"` // output tokens by decode time, all slots together
	DecodeDeviation    float64      `json:"decode_tokens_per_second_stddev"`
	ReuseShare         stats.Number `json:"reuse_share,omitzero"` // reused tokens of the prompts' tokens

	Nanoseconds []int64 `json:"samples_ns"`
}

// Pass is one repetition: what it took, how much of that in prefill and decode, and what was done in it.
type Pass struct {
	Wall, Prefill, Decode time.Duration
	Usage                 backends.Usage
}

// Measured fills in what the repetitions tell.
func (e Exam) Measured(began time.Time, passes []Pass) Exam {
	e.Time = stamp(began)
	var minutes, prefill, decode []float64
	e.Nanoseconds = nil
	for _, p := range passes {
		e.PromptTokens, e.ReusedTokens, e.OutputTokens = p.Usage.PromptTokens, p.Usage.ReusedTokens, p.Usage.OutputTokens
		e.EvaluatedTokens = e.PromptTokens - e.ReusedTokens
		e.Nanoseconds = append(e.Nanoseconds, int64(p.Wall))
		minutes = append(minutes, 60*per(e.Questions, p.Wall.Seconds()))
		prefill = append(prefill, per(e.EvaluatedTokens, p.Prefill.Seconds()))
		decode = append(decode, per(e.OutputTokens, p.Decode.Seconds()))
	}
	e.PerMinute, e.PerMinuteDeviation = spread(minutes)
	e.Prefill, e.PrefillDeviation = spread(prefill)
	e.Decode, e.DecodeDeviation = spread(decode)
	e.ReuseShare = stats.Ratio(e.ReusedTokens, e.PromptTokens)
	return e
}

// ExamColumns are those of an exam. show has the keys of the settings that vary or are not the default.
func ExamColumns(build Build, show ...string) []Column[Exam] {
	whole := func(name string, width int, n func(Exam) int) Column[Exam] {
		return Column[Exam]{name, width, func(e Exam) string { return strconv.Itoa(n(e)) }}
	}
	return slices.Concat(modelColumns[Exam](), settingsColumns[Exam](append(show, build.device())...), []Column[Exam]{
		whole("slots", 5, func(e Exam) int { return e.Slots }),
		whole("questions", 9, func(e Exam) int { return e.Questions }),
		whole("shared", 6, func(e Exam) int { return e.Shared }),
		whole("own", 5, func(e Exam) int { return e.Own }),
		whole("out", 5, func(e Exam) int { return e.Generate }),
		{"questions/min", 17, func(e Exam) string { return plusMinus(e.PerMinute, e.PerMinuteDeviation) }},
		{"prefill t/s", 17, func(e Exam) string { return plusMinus(e.Prefill, e.PrefillDeviation) }},
		{"decode t/s", 17, func(e Exam) string { return plusMinus(e.Decode, e.DecodeDeviation) }},
		{"reused", 7, func(e Exam) string { return share(e.ReuseShare) }},
	})
}

func share(n stats.Number) string {
	x, defined := n.Get()
	if !defined {
		return "n/a"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + " %"
}
