package bench

import (
	"fmt"
	"slices"
	"time"
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

// Measured fills in what the samples tell.
func (t Test) Measured(began time.Time, samples []time.Duration) Test {
	t.Time = stamp(began)
	nanoseconds := make([]float64, len(samples))
	t.Nanoseconds = make([]int64, len(samples))
	for i, took := range samples {
		t.Nanoseconds[i], nanoseconds[i] = int64(took), float64(took)
	}
	mean, deviation := spread(nanoseconds)
	t.MeanNanoseconds, t.DeviationNanoseconds = int64(mean), int64(deviation)
	t.Rates = rates(t.Prompt+t.Generate, samples)
	t.Mean, t.Deviation = spread(t.Rates)
	return t
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// Name is what llama-bench calls the test: pp512, tg128, pp512+tg128, pp512 @ d4096.
func (t Test) Name() string {
	name := fmt.Sprintf("pp%d+tg%d", t.Prompt, t.Generate)
	switch {
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

// TestColumns are llama-bench's. show has the keys of the settings that vary or are not the default.
func TestColumns(build Build, show ...string) []Column[Test] {
	return slices.Concat(
		modelColumns[Test](), settingsColumns[Test](append(show, build.device())...),
		[]Column[Test]{
			{"test", 15, Test.Name},
			{"t/s", 20, func(t Test) string { return plusMinus(t.Mean, t.Deviation) }},
		},
	)
}
