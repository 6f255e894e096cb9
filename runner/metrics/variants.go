package metrics

import (
	"fmt"
	"strings"

	"proctor/runner/results"
	"proctor/runner/stats"
)

// A variantSet is the items of one of OpenCompass's patterns.
type variantSet struct {
	name  string // origin, circular or all_possible
	view  results.View
	whole []results.View // the repeats of questions that have every variant, each of them scored
}

// origin is the items in the original order.
func origin(v results.View) variantSet {
	original := v.Where(func(it *results.Item) bool { return isRotation(it.Variant) && strings.HasPrefix(it.Variant, "A") })
	return variantsOf("origin", original, func(*results.Item) int { return 1 })
}

// rotations are the items in one of the n rotations of n options.
func rotations(v results.View) variantSet {
	rotated := v.Where(func(it *results.Item) bool { return isRotation(it.Variant) })
	return variantsOf("circular", rotated, func(it *results.Item) int { return it.Options })
}

// permutations are all items. How many orders of a question were asked is taken from the questions with as many options.
func permutations(v results.View) variantSet {
	most := map[int]int{}
	for question := range v.Repeats() {
		n := question.Items[0].Options
		most[n] = max(most[n], len(question.Items))
	}
	return variantsOf("all_possible", v, func(it *results.Item) int { return most[it.Options] })
}

// variantsOf is a set of items; asked is how many of them an item's question has.
func variantsOf(name string, v results.View, asked func(*results.Item) int) variantSet {
	set := variantSet{name: name, view: v}
	for question := range v.Repeats() {
		if t := question.Tally(); t.Errors == 0 && t.Items >= asked(question.Items[0]) {
			set.whole = append(set.whole, question)
		}
	}
	return set
}

// isRotation says whether a pattern, such as BCDA, moves all options by the same number of places.
func isRotation(pattern string) bool {
	for i := range len(pattern) {
		if int(pattern[i]-'A') != (int(pattern[0]-'A')+i)%len(pattern) {
			return false
		}
	}
	return pattern != ""
}

// metrics are acc, perf and more_k of the set.
func (s variantSet) metrics() []Metric {
	most := 0
	for _, question := range s.whole {
		most = max(most, len(question.Items))
	}
	metrics := []Metric{s.accuracy(), s.perfect()}
	for k := 1; k < most; k++ {
		metrics = append(metrics, s.more(k))
	}
	return metrics
}

func (s variantSet) accuracy() Metric {
	t := s.view.Tally()
	return Metric{"acc_" + s.name, t.Accuracy(), t.Scored()}
}

func (s variantSet) perfect() Metric {
	return Metric{"perf_" + s.name, ratioOf(allRight(s.whole)), len(s.whole)}
}

// more is the share of questions with at least k variants of which at least k are right.
func (s variantSet) more(k int) Metric {
	enough, over := 0, 0
	for _, question := range s.whole {
		t := question.Tally()
		if t.Items < k {
			continue
		}
		over++
		if t.Correct >= k {
			enough++
		}
	}
	return Metric{fmt.Sprintf("more_%d_%s", k, s.name), stats.Ratio(enough, over), over}
}

// contents looks at which content, not which letter, was chosen: consistency is the share of questions in which all variants
// are answered with the same one, vote that in which the gold one is chosen more often than any other.
func (s variantSet) contents() (consistency, vote stats.Number) {
	same, won := 0, 0
	for _, question := range s.whole {
		votes := map[int]int{}
		gold := 0
		for a := range question.Answers() {
			gold = contentAt(a.Variant, a.Gold)
			if chosen := contentAt(a.Variant, a.Letter); chosen >= 0 && a.Answered() {
				votes[chosen]++
			}
		}
		rival := 0
		for content, n := range votes {
			if content != gold {
				rival = max(rival, n)
			}
			if n == len(question.Items) {
				same++
			}
		}
		if votes[gold] > rival {
			won++
		}
	}
	return stats.Ratio(same, len(s.whole)), stats.Ratio(won, len(s.whole))
}

// contentAt is the original option that a pattern puts at a letter, or -1: the pattern's i-th letter is where original
// option i now stands.
func contentAt(pattern string, letter string) int { return strings.Index(pattern, letter) }
