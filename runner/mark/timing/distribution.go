package timing

import (
	"slices"

	"proctor/runner/mark/stats"
)

// A Distribution counts times, in seconds.
type Distribution struct {
	Items  int          `json:"items"`
	P50    stats.Number `json:"p50"`
	P95    stats.Number `json:"p95"`
	Most   stats.Number `json:"max"`
	Longer int          `json:"longer"` // than the last bin's end
	Bins   []Bin        `json:"bins"`   // of equal width, from 0 to the 99th percentile, the last one with what took longer
}

// A Bin counts the times between two, in seconds.
type Bin struct {
	From  stats.Number `json:"from"`
	To    stats.Number `json:"to"`
	Count int          `json:"count"`
}

// timeBins is how fine a distribution is.
const timeBins = 24

// distributionOf counts times; it is zero where there are fewer than two.
func distributionOf(seconds []float64) Distribution {
	if len(seconds) < 2 {
		return Distribution{}
	}
	most := slices.Max(seconds)
	d := Distribution{Items: len(seconds), Most: stats.Of(most), P50: stats.Quantile(seconds, 0.50), P95: stats.Quantile(seconds, 0.95)}
	end := stats.Quantile(seconds, 0.99).Or(most)
	for i := range timeBins {
		d.Bins = append(d.Bins, Bin{From: stats.Of(end * float64(i) / timeBins), To: stats.Of(end * float64(i+1) / timeBins)})
	}
	for _, s := range seconds {
		if s > end {
			d.Longer++
		}
		d.Bins[min(timeBins-1, int(s/end*timeBins))].Count++
	}
	return d
}
