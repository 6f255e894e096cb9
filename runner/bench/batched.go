package bench

import (
	"slices"
	"time"

	"proctor/backends"
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

func newBatched(head Head, t backends.EngineTest, room int, began time.Time, samples []backends.Sample) any {
	b := Batched{Head: head, Room: room, Prompt: t.Prompt, Generate: t.Generate, Parallel: t.Parallel}
	if t.Shared {
		b.Shared = 1
	}
	var prefill, decode []time.Duration
	for _, s := range samples {
		prefill, decode = append(prefill, s.Prefill), append(decode, s.Decode)
	}
	return b.Measured(began, prefill, decode)
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
func BatchedColumns(models int, show ...string) []Column {
	return slices.Concat(modelColumns[:min(models-1, 1)], settingsColumns(show...), []Column{
		{"PP", 6, shows("%d", "pp")},
		{"TG", 6, shows("%d", "tg")},
		{"B", 4, shows("%d", "pl")},
		{"N_KV", 6, shows("%d", "n_kv")},
		{"T_PP s", 8, shows("%.3f", "t_pp")},
		{"S_PP t/s", 8, shows("%.2f", "speed_pp")},
		{"T_TG s", 8, shows("%.3f", "t_tg")},
		{"S_TG t/s", 8, shows("%.2f", "speed_tg")},
		{"T s", 8, shows("%.3f", "t")},
		{"S t/s", 8, shows("%.2f", "speed")},
	})
}
