package ask

import (
	"time"

	"proctor/backends"
	"proctor/runner/journal"
)

// keepEvery is how often the journal gets what unfinished answers have: a killed run loses no more of them.
const keepEvery = time.Minute

// keepOpen writes what an answer has so far.
func (a *asking) keepOpen(c *backends.Completion) error {
	taken, before := a.flights[c.ID], a.open[c.ID]
	if taken == nil {
		return notAsked(c.ID)
	}
	from := backends.CommonPrefix(before.Tokens, c.Tokens)
	p := journal.Partial{
		ID: c.ID, From: from, Tokens: c.Tokens[from:], Interrupted: taken.interrupted(), Usage: c.Usage, Timing: a.timing(c, taken),
		Began: taken.began,
	}
	if err := a.to.AppendPartial(p); err != nil {
		return err
	}
	p.Tokens = c.Tokens
	a.open[c.ID] = p
	a.tellOpen(c.ID, len(p.Tokens))
	return nil
}

func (a *asking) tellOpen(id string, tokens int) {
	if a.observer.Open != nil {
		a.observer.Open(id, tokens)
	}
}

// keepInterrupted writes that items were interrupted whose answers have nothing new: how long they were asked has passed, too.
func (a *asking) keepInterrupted() error {
	for id, taken := range a.flights {
		if a.open[id].Began.Equal(taken.began) {
			continue
		}
		before := &taken.before
		c := backends.Completion{ID: id, Tokens: before.Tokens, Usage: before.Usage, Begun: len(before.Tokens)}
		if err := a.keepOpen(&c); err != nil {
			return err
		}
	}
	return nil
}

// timing is how long an answer has taken this time, and the engine for all of its tokens.
func (a *asking) timing(c *backends.Completion, now *flight) backends.Timing {
	t := c.Timing
	if c.Begun > 0 {
		t.Decode += now.before.Timing.Decode
	}
	t.Total = a.clock.now().Sub(now.began)
	return t
}
