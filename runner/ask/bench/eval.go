package bench

import (
	"fmt"
	"strconv"
	"time"

	"proctor/runner/mark/stats"
)

// Eval is a model's speed at questions whose prompts begin alike. Its figures have the names of a run's, since they differ from a
// test's.
type Eval struct {
	Head
	Slots     int    `json:"slots"`         // sequences decoded at a time
	Context   int    `json:"context"`       // tokens a slot holds
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

// evalOf is the row of a way's sessions.
func evalOf(sessions []*session) Eval {
	first := sessions[0]
	e := first.row
	e.Time = first.began.UTC().Format(time.RFC3339)
	var minutes, prefill, decode []float64
	for _, s := range sessions {
		if others := s.row.Others; others.Share > e.Others.Share { // of the busiest round
			e.Others = others
		}
		for _, p := range s.passes {
			e.PromptTokens, e.ReusedTokens, e.OutputTokens = p.Usage.PromptTokens, p.Usage.ReusedTokens, p.Usage.OutputTokens
			e.EvaluatedTokens = e.PromptTokens - e.ReusedTokens
			e.Nanoseconds = append(e.Nanoseconds, int64(p.Wall))
			minutes = append(minutes, 60*per(e.Questions, p.Wall.Seconds()))
			prefill = append(prefill, per(e.EvaluatedTokens, p.Prefill.Seconds()))
			decode = append(decode, per(e.OutputTokens, p.Decode.Seconds()))
		}
	}
	e.PerMinute, e.PerMinuteDeviation = spread(minutes)
	e.Prefill, e.PrefillDeviation = spread(prefill)
	if !first.overlaps {
		e.Decode, e.DecodeDeviation = spread(decode)
	}
	e.ReuseShare = stats.Ratio(e.ReusedTokens, e.PromptTokens)
	return e
}

func (e Eval) columns(t Table) []Column {
	reused := "n/a"
	if share, defined := e.ReuseShare.Get(); defined {
		reused = fmt.Sprintf("%.1f %%", 100*share)
	}
	slots := "auto"
	if e.Slots > 0 {
		slots = strconv.Itoa(e.Slots)
	}
	return e.Head.columns(t,
		Column{"slots", 5, slots},
		Column{"questions", 9, strconv.Itoa(e.Questions)},
		Column{"shared", 6, strconv.Itoa(e.Shared)},
		Column{"own", 5, strconv.Itoa(e.Own)},
		Column{"out", 5, strconv.Itoa(e.Generate)},
		Column{"questions/min", 19, spreadOf(e.PerMinute, e.PerMinuteDeviation)},
		Column{"prefill t/s", 19, rate(e.Prefill, e.PrefillDeviation)},
		Column{"decode t/s", 19, rate(e.Decode, e.DecodeDeviation)},
		Column{"reused", 7, reused},
	)
}

// rate is a cell with a speed and its deviation, where there was anything to measure.
func rate(mean, deviation float64) string {
	if mean == 0 {
		return "n/a"
	}
	return spreadOf(mean, deviation)
}
