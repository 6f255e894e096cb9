package schedule

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp/engine"
)

// part is one slot's share of a batch: some of its prompt, or the token drawn last, or some of a forced completion. All parts of a batch are of
// prompts, or none is.
type part struct {
	slot   *slot
	tokens []int32
	prompt bool
}

// decode draws one token for every running slot, or reads what it is forced to.
func (g *generation) decode() error {
	var parts []part
	room := g.traits.Batch
	for _, s := range g.slots {
		if s.running() {
			parts = append(parts, part{slot: s, tokens: s.next()})
			room--
		}
	}
	for i, p := range parts {
		more := min(len(p.tokens)-1, max(room, 0))
		parts[i].tokens = p.tokens[:1+more]
		room -= more
	}
	return g.evaluate(parts)
}

// prefill decodes prompts until every slot that has a job runs.
func (g *generation) prefill() error {
	for {
		parts := g.prompts()
		if len(parts) == 0 {
			return nil
		}
		if err := g.evaluate(parts); err != nil {
			return err
		}
	}
}

// prompts returns the prompt tokens for the next batch, those of the earliest requests first.
func (g *generation) prompts() []part {
	g.refresh()
	waiting := make([]*slot, 0, len(g.slots))
	for _, s := range g.slots {
		if s.prefilling() {
			waiting = append(waiting, s)
		}
	}
	slices.SortFunc(waiting, func(a, b *slot) int { return cmp.Compare(a.job.order, b.job.order) })
	var parts []part
	room := g.traits.Batch
	for _, s := range waiting {
		if s.job.alone && len(parts) > 0 || !s.started && (g.spoilt || !g.start(s)) {
			continue
		}
		rest := s.job.tokens[len(s.held):]
		n := min(len(rest), room, s.untilStop())
		if n == 0 {
			break
		}
		if g.traits.Chunk > 0 {
			n = g.wholeChunks(n, len(rest))
		} else if len(g.slots) == 1 {
			// Up to the next multiple of the microbatch, where a loop that decodes the whole prompt ends a batch too.
			n = min(n, g.traits.Microbatch-len(s.held)%g.traits.Microbatch)
		}
		parts = append(parts, part{slot: s, tokens: rest[:n], prompt: true})
		room -= n
		if s.job.alone || g.traits.Chunk > 0 {
			break
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.slot.seq, b.slot.seq) })
	return parts
}

// wholeChunks returns how many of a prompt's next n tokens are decoded together: what is computed at a time, up to the end of a
// chunk or of the rest of the prompt. Where not even a chunk fits, nothing can be done about it.
func (g *generation) wholeChunks(n, rest int) int {
	n = min(n, g.traits.Microbatch)
	if n == rest || n < g.traits.Chunk {
		return n
	}
	return n / g.traits.Chunk * g.traits.Chunk
}

// evaluate decodes the parts and takes the tokens that are drawn. Only the end of the context and errors of done are
// returned.
func (g *generation) evaluate(parts []part) error {
	batch := g.batch[:0]
	for _, p := range parts {
		sampler := p.slot.job.sampler()
		for i, token := range p.tokens {
			batch = append(batch, engine.Token{
				ID: token, Position: int32(p.slot.size + i), Sequence: p.slot.seq,
				Draw: p.slot.size+i >= p.slot.job.first, Sampler: sampler,
			})
		}
	}
	g.batch = batch
	if g.engine.Shares() {
		g.engine.Share(prefixGroups(g.slots))
	}
	began := time.Now()
	drawn, err := g.engine.Decode(batch)
	if errors.Is(err, engine.ErrCancelled) && g.ctx.Err() != nil {
		return g.ctx.Err()
	}
	if err != nil {
		return g.split(parts, err)
	}
	at := 0
	for _, p := range parts { // a prediction is kept of the token that is taken
		at += len(p.tokens)
		token := &drawn[at-1]
		if t := p.slot.job.thought; t != nil && batch[at-1].Draw && engine.Undrawn(*token) == nil {
			*token, t.forces = g.instead(p.slot, *token)
		}
	}
	broken := g.predict(parts, batch, drawn)
	took := time.Since(began) / time.Duration(len(batch))
	at = 0
	for _, p := range parts {
		at += len(p.tokens)
		token, draws := drawn[at-1], batch[at-1].Draw
		g.account(p, began, took)
		if none, breaks := broken[p.slot]; breaks {
			token = none
		} else if !draws || p.slot.forces() {
			continue
		}
		if err := g.accept(p.slot, token); err != nil {
			return err
		}
	}
	return nil
}

// account books a decoded part; took is the time per token. The tokens of a completion that its request gives count as decoded, not as prompt.
func (g *generation) account(p part, began time.Time, took time.Duration) {
	s := p.slot
	s.size += len(p.tokens)
	timing := &s.job.timing
	given := min(max(0, s.size-s.job.usage.PromptTokens), len(p.tokens))
	timing.Decode += took * time.Duration(given)
	if !p.prompt {
		return
	}
	if timing.Prefill == 0 {
		timing.Queue = began.Sub(s.job.pulled)
	}
	timing.Prefill += took * time.Duration(len(p.tokens)-given)
	s.held = s.job.tokens[:len(s.held)+len(p.tokens)]
	g.checkpoint(s)
}

// split tries the parts of a failed batch again, each alone and then in halves. A part that cannot be made smaller
// fails its job.
func (g *generation) split(parts []part, err error) error {
	for _, p := range parts { // what the failed batch may have left behind
		if !g.engine.Trim(p.slot.seq, p.slot.size) {
			return g.restart(parts, err)
		}
	}
	if len(parts) > 1 {
		for _, p := range parts {
			if err := g.evaluate([]part{p}); err != nil {
				return err
			}
		}
		return nil
	}
	p := parts[0]
	if len(p.tokens) == 1 {
		return g.fail(p.slot, causeOf(err), err)
	}
	half := p
	half.tokens = p.tokens[:len(p.tokens)/2]
	job := p.slot.job
	if err := g.evaluate([]part{half}); err != nil || p.slot.job != job {
		return err
	}
	p.tokens = p.tokens[len(half.tokens):]
	return g.evaluate([]part{p})
}

// restart has slots read their prompts anew, each alone: nobody knows what a failed batch left in their states. It fails three
// kinds of slots: a prompt that was alone in its batch; those that generate, whose tokens are not kept; and a forced completion
// whose prompt was already read anew.
func (g *generation) restart(parts []part, err error) error {
	for _, p := range parts {
		if again := p.prompt || p.slot.job.request.Forced != nil && !p.slot.job.alone; len(parts) == 1 || !again {
			if err := g.fail(p.slot, causeOf(err), err); err != nil {
				return err
			}
			continue
		}
		g.engine.Trim(p.slot.seq, 0)
		p.slot.held, p.slot.size, p.slot.started, p.slot.stops = nil, 0, false, nil
		p.slot.job.alone, p.slot.job.predictions = true, nil
	}
	return nil
}

func causeOf(err error) backends.Cause {
	if failure := (*engine.DecodeError)(nil); errors.As(err, &failure) {
		return failure.Cause
	}
	return backends.CauseEngine
}
