package recount

import (
	"fmt"
	"math"
	"slices"
)

// lengths works out the figures by the length of prompts: a fifth of the scored items each, where their tokens are counted.
func (r *plainRun) lengths(scored []*plainItem) {
	tokens := each(scored, func(it *plainItem) float64 { return it.Usage.Prompt })
	slices.Sort(tokens)
	if len(tokens) < 50 || tokens[0] == 0 {
		return
	}
	var ends []float64
	for k := 1; k <= 5; k++ {
		ends = append(ends, tokens[len(tokens)*k/5-1])
	}
	ends = slices.Compact(ends)
	if len(ends) < 2 {
		return
	}
	from := tokens[0]
	for i, to := range ends {
		path := fmt.Sprintf("by_prompt_tokens.%d.", i)
		r.part(path, keep(r.items, func(it *plainItem) bool { return from <= it.Usage.Prompt && it.Usage.Prompt <= to }))
		r.put(path+"from", from)
		r.put(path+"to", to)
		from = to + 1
	}
}

// distribution counts times of items in 24 bins up to the 99th percentile.
func (r *plainRun) distribution(path string, seconds []float64) {
	if len(seconds) < 2 {
		return
	}
	end := quantile(seconds, 0.99)
	var counts [24]float64
	longer := 0.0
	for _, s := range seconds {
		if s > end {
			longer++
		}
		counts[int(math.Min(23, s/end*24))]++
	}
	r.put(path+"items", float64(len(seconds)))
	r.put(path+"p50", quantile(seconds, 0.50))
	r.put(path+"p95", quantile(seconds, 0.95))
	r.put(path+"max", slices.Max(seconds))
	r.put(path+"longer", longer)
	for i, count := range counts {
		bin := fmt.Sprintf("%sbins.%d.", path, i)
		r.put(bin+"from", end/24*float64(i))
		r.put(bin+"to", end/24*float64(i+1))
		r.put(bin+"count", count)
	}
}
