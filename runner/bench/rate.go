package bench

import (
	"fmt"
	"time"

	"proctor/runner/stats"
)

// rates are n things in each of the times, a second.
func rates(n int, times []time.Duration) []float64 {
	all := make([]float64, len(times))
	for i, took := range times {
		all[i] = float64(n) / took.Seconds()
	}
	return all
}

// spread is mean and sample standard deviation as llama-bench has them: 0 where there is none.
func spread(values []float64) (mean, deviation float64) {
	m, d := stats.Spread(values)
	return m.Or(0), d.Or(0)
}

func plusMinus(mean, deviation float64) string { return fmt.Sprintf("%.2f ± %.2f", mean, deviation) }
