package bench

import (
	"fmt"
	"time"

	"proctor/backends"
	"proctor/runner/mark/stats"
)

// Test is a row of llama-bench.
type Test struct {
	Head
	Prompt   int    `json:"n_prompt"`
	Generate int    `json:"n_gen"`
	Depth    int    `json:"n_depth"`
	Time     string `json:"test_time"` // when it began, RFC 3339 in UTC

	MeanNanoseconds      int64     `json:"avg_ns"`
	DeviationNanoseconds int64     `json:"stddev_ns"`
	Mean                 float64   `json:"avg_ts"` // tokens a second: the mean of the repetitions' rates
	Deviation            float64   `json:"stddev_ts"`
	Nanoseconds          []int64   `json:"samples_ns"`
	Rates                []float64 `json:"samples_ts"`
}

// newTest is the row of what was measured.
func newTest(head Head, t backends.EngineTest, began time.Time, samples []backends.Sample) Test {
	row := Test{Head: head, Prompt: t.Prompt, Generate: t.Generate, Depth: t.Depth, Time: stamp(began)}
	var nanoseconds []float64
	for _, s := range samples {
		took := s.Prefill + s.Decode
		nanoseconds, row.Nanoseconds = append(nanoseconds, float64(took)), append(row.Nanoseconds, int64(took))
		row.Rates = append(row.Rates, float64(t.Prompt+t.Generate)/took.Seconds())
	}
	mean, deviation := spread(nanoseconds)
	row.MeanNanoseconds, row.DeviationNanoseconds = int64(mean), int64(deviation)
	row.Mean, row.Deviation = spread(row.Rates)
	return row
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// nameOf is what llama-bench calls a test: pp512, tg128, pp512+tg128, pp512 @ d4096.
func nameOf(t backends.EngineTest) string {
	name := fmt.Sprintf("pp%d+tg%d", t.Prompt, t.Generate)
	switch {
	case t.Batched:
		name += fmt.Sprintf(" in %d", t.Parallel)
	case t.Generate == 0:
		name = fmt.Sprintf("pp%d", t.Prompt)
	case t.Prompt == 0:
		name = fmt.Sprintf("tg%d", t.Generate)
	}
	if t.Depth > 0 {
		name += fmt.Sprintf(" @ d%d", t.Depth)
	}
	return name
}

func (Test) table() string { return "llama_bench" }

// columns are llama-bench's.
func (Test) columns(t Table) []Column {
	return t.columns(
		Column{"test", 15, func(v values) string {
			return nameOf(backends.EngineTest{Prompt: v["n_prompt"].(int), Generate: v["n_gen"].(int), Depth: v["n_depth"].(int)})
		}},
		Column{"t/s", 20, spreadOf("avg_ts", "stddev_ts")},
	)
}

// scattering is the share of its mean above which a standard deviation says that something else was computing.
const scattering = 0.1

// scattered ends a cell whose repetitions scatter.
const scattered = " !"

// spreadOf is a cell with a mean and its deviation, as llama-bench has them, and a mark where that is large.
func spreadOf(mean, deviation string) func(values) string {
	return func(v values) string {
		text := shows("%.2f ± %.2f", mean, deviation)(v)
		if v[deviation].(float64) > scattering*v[mean].(float64) {
			text += scattered
		}
		return text
	}
}

// spread is mean and sample standard deviation as llama-bench has them: 0 where there is none.
func spread(values []float64) (mean, deviation float64) {
	m, d := stats.Spread(values)
	return m.Rounded(), d.Rounded()
}
