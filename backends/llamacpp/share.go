package llamacpp

// worthSharing is how many tokens slots must have in common for attention to go through them once for all: a block of
// package kernels.
const worthSharing = 64

// share tells the engine which running slots' prompts begin alike. A slot's tokens lie in its cache in their order, so
// slots with the same tokens have the same keys and values at the same places.
func (g *generation) share() {
	if g.model.settings.unified || g.model.weights.recurrent() {
		return // no cache of their own, or not one of tokens alone
	}
	leader, length := make([]int32, len(g.slots)), make([]int32, len(g.slots))
	var leaders []*slot
	for _, s := range g.slots {
		leader[s.seq] = -1
		if !s.running() {
			continue
		}
		best, most := s, 0
		for _, other := range leaders {
			n := common(s.held, other.held)
			if with := int(length[other.seq]); n < with/2 {
				continue // the others of its party share much more
			} else if with > 0 {
				n = min(n, with)
			}
			if n >= worthSharing && n > most {
				best, most = other, n
			}
		}
		leader[s.seq] = best.seq
		if best == s {
			leaders = append(leaders, s)
			continue
		}
		length[best.seq] = int32(most)
	}
	g.engine.share(leader, length)
}
