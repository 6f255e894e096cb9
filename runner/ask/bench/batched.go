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

// newBatched is the row of what was measured: of all sequences' prompts, and of the tokens after them.
func newBatched(head Head, t backends.EngineTest, room int, began time.Time, samples []backends.Sample) Batched {
	b := Batched{Head: head, Room: room, Prompt: t.Prompt, Generate: t.Generate, Parallel: t.Parallel, Time: stamp(began)}
	if t.Shared {
		b.Shared = 1
	}
	var sum backends.Sample
	for _, s := range samples {
		sum.Prefill, sum.Decode = sum.Prefill+s.Prefill, sum.Decode+s.Decode
	}
	n := float64(len(samples))
	b.Cells = t.Prompts()*t.Prompt + t.Parallel*t.Generate
	b.PrefillSeconds, b.DecodeSeconds = sum.Prefill.Seconds()/n, sum.Decode.Seconds()/n
	b.Seconds = b.PrefillSeconds + b.DecodeSeconds
	b.PrefillRate = per(t.Prompts()*t.Prompt, b.PrefillSeconds)
	b.DecodeRate = per(t.Parallel*t.Generate, b.DecodeSeconds)
	b.Rate = per(b.Cells, b.Seconds)
	return b
}

// per is n a second; 0 of nothing.
func per(n int, seconds float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) / seconds
}

func (Batched) table() string { return "llama_batched_bench" }

// columns are llama-batched-bench's, after those that tell rows apart: the model only where there are several.
func (Batched) columns(t Table) []Column {
	return slices.Concat(modelColumns[:min(t.Models-1, 1)], settingsColumns(t.Show), []Column{
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
