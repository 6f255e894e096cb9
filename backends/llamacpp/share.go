package llamacpp

// worthSharing is how many tokens slots must have in common for attention to go through them once for all: a block of
// package kernels.
const worthSharing = 64

// share tells the engine, before it decodes a batch, which slots begin alike. A slot's tokens lie in its cache in their
// order, so slots with the same tokens have the same keys and values at the same places.
func (g *generation) share() {
	if g.engine.shares {
		g.engine.threads.Share(parties(g.slots))
	}
}

// parties returns each slot's leader, with whom it shares tokens, by their sequences' numbers, and at a leader's place
// how many tokens its whole party shares. The first of those that share is their leader; a slot that holds nothing, or
// not yet what its job begins with, has none. A slot that would share less than half of a prompt, or of what a party
// shares, stays out of it.
func parties(slots []*slot) (leader, length []int32) {
	leader, length = make([]int32, len(slots)), make([]int32, len(slots))
	var leaders []*slot
	for _, s := range slots {
		leader[s.seq] = -1
		if s.job == nil || !s.started || len(s.held) == 0 {
			continue
		}
		best, most := s, 0
		for _, other := range leaders {
			n, whole := common(s.held, other.held), int(length[other.seq])
			if n < worthSharing || 2*n < min(len(s.held), len(other.held)) || 2*n < whole {
				continue
			}
			if whole > 0 {
				n = min(n, whole)
			}
			if n > most {
				best, most = other, n
			}
		}
		leader[s.seq] = best.seq
		if best == s {
			leaders = append(leaders, s)
		} else {
			length[best.seq] = int32(most)
		}
	}
	return leader, length
}
