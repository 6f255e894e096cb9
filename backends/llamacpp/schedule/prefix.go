package schedule

import "proctor/backends"

// Prompts share beginnings: the shots of a subject, the stem of a question. What is already in the cache is not
// decoded again.

const (
	// worthCopying is how many tokens a copy from another slot must save: it copies the whole sequence.
	worthCopying = 32
	// ExactStep is the grid on which a single slot keeps a prefix. The engine's kernels take prompt tokens in groups
	// (of four for repacked K types, measured), and a token gives the same bits only in the same place of a group; a
	// batch of a single token goes through other kernels altogether.
	ExactStep = 16
)

// start puts in place what the cache already has of a slot's prompt, and says whether decoding the rest may begin. It
// may not while another slot is decoding a longer common beginning.
func (g *generation) start(s *slot) bool {
	tokens := s.job.tokens
	if g.traits.Stateful {
		return g.resume(s)
	}
	most := s.job.first // from there on all is evaluated in any case: tokens are drawn from it
	own := min(backends.CommonPrefix(s.held, tokens), most)
	if len(g.slots) == 1 {
		g.keep(s, onGrid(own, most))
		return true
	}
	var source *slot
	best, promised := own, 0
	for _, other := range g.slots {
		if other == s {
			continue
		}
		if n := min(backends.CommonPrefix(other.held, tokens), most); n > best {
			source, best = other, n
		}
		if other.started && other.prefilling() {
			promised = max(promised, min(backends.CommonPrefix(other.job.tokens, tokens), most))
		}
	}
	if promised >= best+worthCopying {
		return false
	}
	if best < own+worthCopying {
		g.keep(s, own)
		return true
	}
	g.engine.Copy(source.seq, s.seq)
	s.held, s.size = source.held, source.size
	g.keep(s, best)
	return true
}

// onGrid returns how much of a common beginning a single slot keeps. At least two of the tokens up to most are left, so that
// none is alone which is not in the plain loop.
func onGrid(n, most int) int { return max(min(n, most-1), 0) / ExactStep * ExactStep }

// keep cuts a slot's sequence back to its first n tokens, which its job begins with too.
func (g *generation) keep(s *slot, n int) {
	if !g.engine.Trim(s.seq, n) {
		n = 0
		g.engine.Trim(s.seq, 0)
	}
	s.held, s.size, s.started = s.job.tokens[:n], n, true
	s.job.usage.ReusedTokens = min(n, len(s.job.prompt())-1)
}
