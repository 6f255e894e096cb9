package bench

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Batched is a row of llama-batched-bench: several sequences at a time. Its times are means where it was measured more
// than once.
type Batched struct {
	Head
	Room     int    `json:"n_kv_max"` // tokens that the cache had room for
	Shared   int    `json:"is_pp_shared"`
	Prompt   int    `json:"pp"` // tokens of each sequence
	Generate int    `json:"tg"`
	Parallel int    `json:"pl"`
	Cells    int    `json:"n_kv"`
	Time     string `json:"test_time"`

	PrefillSeconds float64 `json:"t_pp"`
	PrefillRate    float64 `json:"speed_pp"` // tokens a second
	DecodeSeconds  float64 `json:"t_tg"`
	DecodeRate     float64 `json:"speed_tg"` // of all sequences together
	Seconds        float64 `json:"t"`
	Rate           float64 `json:"speed"`
}

// Measured fills in what the times tell: of all sequences' prompts, and of the tokens after them.
func (b Batched) Measured(began time.Time, prefill, decode []time.Duration) Batched {
	prompts := b.Parallel
	if b.Shared != 0 {
		prompts = 1
	}
	b.Time = stamp(began)
	b.Cells = prompts*b.Prompt + b.Parallel*b.Generate
	b.PrefillSeconds, b.DecodeSeconds = seconds(prefill), seconds(decode)
	b.Seconds = b.PrefillSeconds + b.DecodeSeconds
	b.PrefillRate = per(prompts*b.Prompt, b.PrefillSeconds)
	b.DecodeRate = per(b.Parallel*b.Generate, b.DecodeSeconds)
	b.Rate = per(b.Cells, b.Seconds)
	return b
}

// seconds is the mean.
func seconds(times []time.Duration) float64 {
	sum := time.Duration(0)
	for _, took := range times {
		sum += took
	}
	return sum.Seconds() / float64(len(times))
}

// per is n a second; 0 of nothing.
func per(n int, seconds float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) / seconds
}

// BatchedColumns are llama-batched-bench's, after those that tell rows apart: the model where there are several, and
// the settings whose keys are in show.
func BatchedColumns(models int, show ...string) []Column[Batched] {
	var apart []Column[Batched]
	if models > 1 {
		apart = modelColumns[Batched]()[:1]
	}
	whole := func(name string, width int, n func(Batched) int) Column[Batched] {
		return Column[Batched]{name, width, func(b Batched) string { return strconv.Itoa(n(b)) }}
	}
	figure := func(name, format string, x func(Batched) float64) Column[Batched] {
		return Column[Batched]{name, 8, func(b Batched) string { return fmt.Sprintf(format, x(b)) }}
	}
	return slices.Concat(apart, settingsColumns[Batched](show...), []Column[Batched]{
		whole("PP", 6, func(b Batched) int { return b.Prompt }),
		whole("TG", 6, func(b Batched) int { return b.Generate }),
		whole("B", 4, func(b Batched) int { return b.Parallel }),
		whole("N_KV", 6, func(b Batched) int { return b.Cells }),
		figure("T_PP s", "%.3f", func(b Batched) float64 { return b.PrefillSeconds }),
		figure("S_PP t/s", "%.2f", func(b Batched) float64 { return b.PrefillRate }),
		figure("T_TG s", "%.3f", func(b Batched) float64 { return b.DecodeSeconds }),
		figure("S_TG t/s", "%.2f", func(b Batched) float64 { return b.DecodeRate }),
		figure("T s", "%.3f", func(b Batched) float64 { return b.Seconds }),
		figure("S t/s", "%.2f", func(b Batched) float64 { return b.Rate }),
	})
}
