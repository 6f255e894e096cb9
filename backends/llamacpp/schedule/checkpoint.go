package schedule

import (
	"slices"

	"proctor/backends"
)

// A recurrent layer has a state instead of a cache of tokens: nothing can be cut off it again. Neither can it off a sliding
// window's, where new tokens take the place of old ones. So the state is kept where prompts part, at the ends of what they have
// in common, and the next prompt that begins so resumes there.

// MostCheckpoints is how many are kept: the shots and a question of two subjects, while slots change from one to the other.
const MostCheckpoints = 4

// checkpoint is the state of a sequence that holds some tokens. Layers with attention have them in the cache of a slot.
type checkpoint struct {
	tokens []int32
	state  []byte
	used   int // when it last was, by the generation's count
}

// checkpoints are the checkpoints of a generation.
type checkpoints struct {
	all   []*checkpoint
	count int // of uses
}

// find returns the checkpoint with the longest beginning of a prompt that is usable; nil where there is none.
func (c *checkpoints) find(tokens []int32, usable func(length int) bool) *checkpoint {
	var best *checkpoint
	for _, p := range c.all {
		n := len(p.tokens)
		if n < len(tokens) && (best == nil || n > len(best.tokens)) && backends.CommonPrefix(p.tokens, tokens) == n && usable(n) {
			best = p
		}
	}
	return best
}

// touch notes that a checkpoint was used.
func (c *checkpoints) touch(p *checkpoint) {
	c.count++
	p.used = c.count
}

// drop forgets a checkpoint.
func (c *checkpoints) drop(p *checkpoint) {
	c.all = slices.DeleteFunc(c.all, func(other *checkpoint) bool { return other == p })
}

// place returns the checkpoint for the tokens: the one that there is, or a new one, which takes the place of the one that was
// not used for longest where there is no more room.
func (c *checkpoints) place(tokens []int32) *checkpoint {
	i := slices.IndexFunc(c.all, func(p *checkpoint) bool { return slices.Equal(p.tokens, tokens) })
	if i < 0 && len(c.all) == MostCheckpoints {
		i = 0
		for j, p := range c.all {
			if p.used < c.all[i].used {
				i = j
			}
		}
	}
	if i < 0 {
		i = len(c.all)
		c.all = append(c.all, &checkpoint{})
	}
	c.all[i].tokens = tokens
	c.touch(c.all[i])
	return c.all[i]
}

// resume does for a model with states what start does for others: a slot's prompt resumes from the checkpoint that holds most
// of it. It returns false while another slot is about to make a better one.
func (g *generation) resume(s *slot) bool {
	tokens := s.job.tokens
	best := g.checkpoints.find(tokens, func(n int) bool { return !g.traits.Hybrid || g.holder(s, tokens[:n]) != nil })
	length := 0
	if best != nil {
		length = len(best.tokens)
	}
	for _, other := range g.slots {
		if other != s && other.started && other.prefilling() && g.promises(other, tokens) >= length+worthCopying {
			return false
		}
	}
	partings := g.partings(s)
	if best == nil || !g.restore(s, best) {
		g.keep(s, 0)
	}
	s.stops = g.stops(s, partings)
	return true
}

// holder returns a slot whose sequence begins with the tokens, at best s itself; nil where there is none.
func (g *generation) holder(s *slot, tokens []int32) *slot {
	for _, other := range append([]*slot{s}, g.slots...) {
		if backends.CommonPrefix(other.held, tokens) == len(tokens) {
			return other
		}
	}
	return nil
}

// promises returns how many tokens of a prompt the checkpoints will hold that a slot has still to come by.
func (g *generation) promises(s *slot, tokens []int32) int {
	common := backends.CommonPrefix(s.job.tokens, tokens[:len(tokens)-1])
	most := 0
	for _, n := range s.stops {
		if n > len(s.held) && n <= common {
			most = n
		}
	}
	return most
}

// restore has a slot continue from a checkpoint whose tokens its job begins with.
func (g *generation) restore(s *slot, from *checkpoint) bool {
	if g.traits.Hybrid {
		if holder := g.holder(s, from.tokens); holder != s {
			g.engine.Copy(holder.seq, s.seq)
		}
	}
	if !g.engine.SetState(s.seq, from.state) {
		return false
	}
	g.checkpoints.touch(from)
	g.keep(s, len(from.tokens))
	return len(s.held) > 0
}

// partings returns where the prompt that a slot is to start with parts from others, in ascending order: after what its request
// says is shared, and after what it begins with like a prompt that is or was in a slot, or like one that there is a checkpoint of.
func (g *generation) partings(s *slot) []int {
	tokens := s.job.tokens
	all := slices.Clone(s.job.partings)
	note := func(other []int32) { all = append(all, backends.CommonPrefix(other, tokens)) }
	for _, other := range g.slots {
		note(other.held)
		if other != s && other.job != nil {
			note(other.job.tokens)
		}
	}
	for _, p := range g.checkpoints.all {
		note(p.tokens)
	}
	slices.Sort(all)
	return all
}

// partingTokens returns the partings of a job's request, in tokens. The last token before one is left out: with the text that follows in
// another prompt it might be another token.
func (g *generation) partingTokens(j *job) ([]int, error) {
	if j.request.Partings == nil {
		return nil, nil
	}
	var all []int
	last := 0
	for _, at := range j.request.Partings() {
		if at = min(at, len(j.request.Prompt)); at < last+worthCopying {
			continue
		}
		last = at
		beginning, err := g.vocabulary.Tokenize(j.request.Prompt[:at])
		if err != nil {
			return nil, err
		}
		all = append(all, backends.CommonPrefix(beginning, j.tokens)-1)
	}
	return all, nil
}

// stops returns at which of the partings a slot is to keep its state: those that are far enough from where it resumes and from
// each other. Two questions may have a few words more in common than all have, so of several that are near the first one counts.
func (g *generation) stops(s *slot, partings []int) []int {
	most := s.job.first
	stops, last := []int(nil), len(s.held)
	for _, n := range partings {
		n = min(n, most)
		if len(g.slots) == 1 {
			n = onGrid(n, most)
		}
		if g.traits.Chunk > 0 {
			n = n / g.traits.Chunk * g.traits.Chunk // where a prompt that resumes there has its chunks, too
		}
		if n >= last+worthCopying {
			stops, last = append(stops, n), n
		}
	}
	return stops
}

// checkpoint keeps the state of a slot that is where its prompt parts from others.
func (g *generation) checkpoint(s *slot) {
	if !slices.Contains(s.stops, len(s.held)) {
		return
	}
	p := g.checkpoints.place(s.held)
	if p.state = g.engine.State(p.state[:0], s.seq); len(p.state) == 0 {
		g.checkpoints.drop(p)
	}
}

// untilStop returns how many tokens a slot may decode before its state must be saved.
func (s *slot) untilStop() int {
	for _, n := range s.stops {
		if n > len(s.held) {
			return n - len(s.held)
		}
	}
	return len(s.job.tokens)
}
