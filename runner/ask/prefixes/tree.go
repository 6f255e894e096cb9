package prefixes

import (
	"cmp"
	"slices"

	"proctor/backends"
)

// tokens are a prompt's tokens without those that it shares with the example of its subject.
type tokens struct {
	example []int32 // the same slice for all prompts of a subject
	shared  int     // as many of the example's tokens begin the prompt; never fewer than there are in common
	own     []int32 // that follow
}

func tokensOf(example, whole []int32) tokens {
	n := backends.CommonPrefix(example, whole)
	return tokens{example, n, slices.Clone(whole[n:])} // not the whole array
}

func (t *tokens) len() int { return t.shared + len(t.own) }

func (t *tokens) at(i int) int32 {
	if i < t.shared {
		return t.example[i]
	}
	return t.own[i-t.shared]
}

// common counts the tokens with which both prompts begin.
func (t *tokens) common(u *tokens) int {
	n := 0
	if len(t.example) > 0 && len(u.example) > 0 && &t.example[0] == &u.example[0] {
		n = min(t.shared, u.shared)
		if t.shared != u.shared { // beyond this one follows the example, the other does not
			return n
		}
	}
	for end := min(t.len(), u.len()); n < end && t.at(n) == u.at(n); {
		n++
	}
	return n
}

// compare orders prompts as a dictionary does.
func (t *tokens) compare(u *tokens) int {
	n := t.common(u)
	if n == min(t.len(), u.len()) {
		return cmp.Compare(t.len(), u.len())
	}
	return cmp.Compare(t.at(n), u.at(n))
}

// newTokens counts for each prompt the tokens that it adds to the prefix tree of those before it, at least 1: a prompt's last token is
// always evaluated.
//
// In dictionary order a prompt's neighbour shares most with it. So the prompts are sorted, and removed from that order one by one,
// from the last given to the first: the neighbours that remain came earlier.
func newTokens(prompts []*tokens) []int {
	sorted := indices(len(prompts))
	slices.SortFunc(sorted, func(a, b int) int { return prompts[a].compare(prompts[b]) })
	const none = -1
	before, after := make([]int, len(prompts)), make([]int, len(prompts)) // neighbours
	shared := make([]int, len(prompts))                                   // with the neighbour before
	for place, i := range sorted {
		before[i], after[i] = none, none
		if place > 0 {
			before[i] = sorted[place-1]
			after[before[i]] = i
			shared[i] = prompts[i].common(prompts[before[i]])
		}
	}
	added := make([]int, len(prompts))
	for i := len(prompts) - 1; i >= 0; i-- {
		most := shared[i]
		if next := after[i]; next != none {
			most = max(most, shared[next])
			shared[next] = min(shared[next], shared[i])
			before[next] = before[i]
		}
		if before[i] != none {
			after[before[i]] = after[i]
		}
		added[i] = max(1, prompts[i].len()-most)
	}
	return added
}
