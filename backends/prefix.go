package backends

import (
	"iter"
	"slices"
)

// CommonPrefix counts the elements that a and b begin with alike. A backend evaluates what its cache has of a prompt no
// second time, so the tokens that prompts have in common are counted in many places.
func CommonPrefix[E comparable](a, b []E) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// looksAhead is how many of the prompts that follow are compared with one.
const looksAhead = 16

// Partings returns where a prompt parts from those that follow it, in bytes and ascending; see [Request.Partings].
func Partings(prompt string, following iter.Seq[string]) []int {
	var all []int
	for next := range following {
		all = append(all, CommonPrefix([]byte(prompt), []byte(next)))
		if len(all) == looksAhead {
			break
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
