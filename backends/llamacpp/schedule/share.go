package schedule

import "proctor/backends"

// worthSharing is how many tokens slots must have in common for attention to go through them once for all: a block of
// package kernels.
const worthSharing = 64

// prefixGroups returns, for each slot by its sequence's number, the first slot of its prefix group, and at the place of such
// a first one how many tokens its whole group shares. A slot's tokens lie in its cache in their order, so slots with the same
// tokens have the same keys and values at the same places. A slot that holds nothing, or not yet what its job begins with,
// is in no group. One that would share less than half of a prompt, or of what a group shares, stays out of it.
func prefixGroups(slots []*slot) (group, length []int32) {
	group, length = make([]int32, len(slots)), make([]int32, len(slots))
	var firsts []*slot
	for _, s := range slots {
		group[s.seq] = -1
		if s.job == nil || !s.started || len(s.held) == 0 {
			continue
		}
		best, most := s, 0
		for _, first := range firsts {
			n, whole := backends.CommonPrefix(s.held, first.held), int(length[first.seq])
			if n < worthSharing || 2*n < min(len(s.held), len(first.held)) || 2*n < whole {
				continue
			}
			if whole > 0 {
				n = min(n, whole)
			}
			if n > most {
				best, most = first, n
			}
		}
		group[s.seq] = best.seq
		if best == s {
			firsts = append(firsts, s)
		} else {
			length[best.seq] = int32(most)
		}
	}
	return group, length
}
