package recount

import (
	"fmt"
	"math"
	"slices"
)

// lengths works out the figures by the length of prompts, where their tokens are counted.
func (r *plainRun) lengths(scored []*plainItem) {
	if slices.ContainsFunc(scored, func(it *plainItem) bool { return it.Usage.Prompt == 0 }) {
		return
	}
	r.fifths("by_prompt_tokens.", scored, promptOf, func(path string, within func(*plainItem) bool) { r.part(path, keep(r.items, within)) })
}

// fifths divides the items into fifths by their tokens, and has each fifth worked out.
func (r *plainRun) fifths(
	path string, items []*plainItem, tokensOf func(*plainItem) float64, say func(path string, within func(*plainItem) bool),
) {
	tokens := each(items, tokensOf)
	if len(tokens) < 50 {
		return
	}
	slices.Sort(tokens)
	var ends []float64
	for k := 1; k <= 5; k++ {
		ends = append(ends, tokens[len(tokens)*k/5-1])
	}
	from := tokens[0]
	if ends = slices.Compact(ends); len(ends) < 2 {
		return
	}
	for i, to := range ends {
		at := fmt.Sprintf("%s%d.", path, i)
		say(at, func(it *plainItem) bool { return from <= tokensOf(it) && tokensOf(it) <= to })
		r.put(at+"from", from)
		r.put(at+"to", to)
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
