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
	Time     string `json:"test_time"` // when it began, RFC 3339 in UTC

	MeanNanoseconds      int64     `json:"avg_ns"`
	DeviationNanoseconds int64     `json:"stddev_ns"`
	Mean                 float64   `json:"avg_ts"` // tokens a second: the mean of the repetitions' rates
	Deviation            float64   `json:"stddev_ts"`
	Nanoseconds          []int64   `json:"samples_ns"`
	Rates                []float64 `json:"samples_ts"`
}

// newTest is the row of a measured test.
func newTest(head Head, t backends.EngineTest, began time.Time, samples []time.Duration) Test {
	row := Test{Head: head, Prompt: t.Prompt, Generate: t.Generate, Time: began.UTC().Format(time.RFC3339)}
	var nanoseconds []float64
	for _, took := range samples {
		nanoseconds, row.Nanoseconds = append(nanoseconds, float64(took)), append(row.Nanoseconds, int64(took))
		row.Rates = append(row.Rates, float64(t.Prompt+t.Generate)/took.Seconds())
	}
	mean, deviation := spread(nanoseconds)
	row.MeanNanoseconds, row.DeviationNanoseconds = int64(mean), int64(deviation)
	row.Mean, row.Deviation = spread(row.Rates)
	return row
}

// nameOf is llama-bench's name of a test: pp512 or tg128.
func nameOf(prompt, generate int) string {
	if generate > 0 {
		return fmt.Sprintf("tg%d", generate)
	}
	return fmt.Sprintf("pp%d", prompt)
}

// columns are llama-bench's.
func (row Test) columns(t Table) []Column {
	return row.Head.columns(t,
		Column{"test", 15, nameOf(row.Prompt, row.Generate)},
		Column{"t/s", 20, spreadOf(row.Mean, row.Deviation)},
	)
}

// scattering is the standard deviation, as a share of the mean, above which something else was probably computing.
const scattering = 0.1

// scattered marks a cell with scattered repetitions.
const scattered = " !"

// spreadOf is a cell with mean and deviation, as llama-bench prints them, and a mark where the deviation is large.
func spreadOf(mean, deviation float64) string {
	text := fmt.Sprintf("%.2f ± %.2f", mean, deviation)
	if deviation > scattering*mean {
		text += scattered
	}
	return text
}

// per is n a second; 0 of nothing, and in no time.
func per(n int, seconds float64) float64 {
	if n == 0 || seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// spread is mean and sample standard deviation as llama-bench computes them: 0 for one value.
func spread(values []float64) (mean, deviation float64) {
	m, d := stats.Spread(values)
	return m.Rounded(), d.Rounded()
}
