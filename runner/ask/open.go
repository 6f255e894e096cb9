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
		ID: c.ID, From: from, Tokens: c.Tokens[from:], Resumed: a.resumed(c, taken), Usage: c.Usage, Timing: c.Timing, Began: taken.began,
	}
	p.Timing.Total = a.clock.now().Sub(taken.began)
	if err := a.to.AppendPartial(p); err != nil {
		return err
	}
	p.Tokens = c.Tokens
	a.open[c.ID] = p
	Tell(a.observer.Open, &p)
	return nil
}

// resumed is how often an answer was gone on with.
func (a *asking) resumed(c *backends.Completion, now *flight) int {
	before := a.open[c.ID]
	if c.Begun > 0 && !before.Began.Equal(now.began) {
		return before.Resumed + 1
	}
	return before.Resumed
}
