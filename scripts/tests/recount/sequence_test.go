package recount

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
)

// sequence puts the interval of a run until a half width in the place of the headline's: each mean of the set is tried that lies on
// the way to the bounds, with a capital that bets on more than that and one that bets on less.
func (r *plainRun) sequence() {
	size := 0.0
	for _, n := range r.population {
		size += float64(n)
	}
	if r.halfWidth == 0 || size == 0 {
		return
	}
	type asked struct {
		rank        string
		least, most float64
	}
	var all []asked
	others, top := float64(r.populationOptions)/size-1, 1.0
	if r.task == "mmlu_pro_binary" {
		top = 0.5 + 0.5*float64(r.options-1)/others
	}
	_, whole := r.headlineOf(r.items)
	for _, question := range by(r.items, questionOf) {
		first := question[0]
		sum := sha256.Sum256([]byte(fmt.Sprintf("until half width %d/%s/%d", r.seed, first.Subject, first.Question)))
		one := asked{rank: string(sum[:])}
		for _, it := range question {
			weight := 1.0
			if r.task == "mmlu_pro_binary" {
				weight = map[bool]float64{true: 0.5, false: 0.5 / others}[it.Gold == "A"]
			}
			one.least += weight * it.right
			if one.most += weight * it.right; it.failed {
				one.most += weight
			}
		}
		if r.task == "mmlu_pro_circular" {
			one.least, one.most = 0, 1
			for _, q := range whole {
				if q[0].Question == first.Question {
					one.least = math.Floor(total(q, rightOf) / float64(len(q)))
					one.most = one.least
				}
			}
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b asked) int { return strings.Compare(a.rank, b.rank) })
	bound := func(score func(asked) float64) float64 {
		low, high := 0.0, 1.0
		for range 40 {
			mean := (low + high) / 2
			capital, largest, sum, squares := 1.0, 1.0, 0.0, 0.0
			for i, one := range all {
				n, x := float64(i), score(one)/top
				left := math.Max(0, size*mean-sum) / (size - n)
				variance := (0.25 + squares) / (n + 1)
				if left > 0 {
					capital *= 1 + math.Min(r.halfWidth/top/variance*size/(size-n), 0.75/left)*(x-left)
				}
				squares += math.Pow(x-(0.5+sum)/(n+1), 2)
				if sum += x; sum > size*mean+1e-6 {
					capital = math.Inf(1)
				}
				largest = math.Max(largest, capital)
			}
			if largest >= 40 {
				low = mean
			} else {
				high = mean
			}
		}
		return low * top
	}
	low, high := bound(func(a asked) float64 { return a.least }), top-bound(func(a asked) float64 { return top - a.most })
	r.put("headline.ci.low", low)
	r.put("headline.ci.high", math.Min(1, high))
	if r.task != "mmlu_pro_circular" { // what holds wherever the run stops has no p
		delete(r.want, "baseline.p_value")
		delete(r.want, "baseline.questions_needed")
	}
	if r.task == "mmlu_pro" {
		r.put("ci.low", low)
		r.put("ci.high", high)
	}
}
