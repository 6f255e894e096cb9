package schedule

// A model whose numbers overflow leaves infinities in what its sequence held, and emptying the sequence does not overwrite them. They
// come back where a kernel multiplies what nobody sees, or an old state, by nothing: 0 × ∞ is not a number. Requests that are under way
// have memory of their own and are finished first, then all memory is overwritten, and only then does another request begin.

// spoil notes that a sequence has left numbers that are none.
func (g *generation) spoil() {
	g.engine.Spoil()
	g.spoilt = true
}

// refresh overwrites spoilt memory once no job needs its contents. Jobs that have decoded nothing yet begin only then.
func (g *generation) refresh() {
	if !g.spoilt {
		return
	}
	busy := false
	for _, s := range g.slots {
		if s.prefilling() && s.size == s.job.usage.ReusedTokens {
			s.started = false
		}
		busy = busy || s.job != nil && s.started
	}
	if busy {
		return
	}
	g.engine.Clear()
	g.spoilt = false
	for _, s := range g.slots {
		s.held, s.size, s.stops = nil, 0, nil
	}
}
