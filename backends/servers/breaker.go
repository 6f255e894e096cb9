package servers

import (
	"log/slog"
	"slices"
	"time"
)

// The circuit breaker: a server whose requests keep failing is asked only now and then, while others do better.
const (
	mostFailed = 5
	firstTrial = time.Second
	lastTrial  = 30 * time.Second
)

// resting says whether a server gets no requests now: it fails, and the next trial is not due.
func (s *State) resting(now time.Time) bool {
	return s.failed >= mostFailed && (s.asking > 0 || now.Before(s.trial))
}

// anySound says whether a server answers that does not fail.
func (p *Pool[S]) anySound() bool {
	return slices.ContainsFunc(p.Servers, func(s S) bool { return s.InPool().up && s.InPool().failed < mostFailed })
}

// succeeded notes that a server answered.
func (p *Pool[S]) succeeded(s S) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := s.InPool()
	of.pace.answered()
	if of.tripped {
		p.log(slog.LevelInfo, "%s no longer fails: it gets items again", s.Name())
	}
	of.failed, of.tripped = 0, false
}

// stumbled notes what a request to a server, which began at began, came to.
func (p *Pool[S]) stumbled(s S, began time.Time, e *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := s.InPool()
	if e.Busy {
		p.refused(s, began, e)
		return
	}
	of.pace.answered()
	switch {
	case e.Lost:
		p.lose(s, e)
	case e.Final: // it is the item's
	default:
		of.failed++
		wait := lastTrial
		if n := of.failed - mostFailed; n < 5 {
			wait = firstTrial << max(n, 0)
		}
		of.trial = time.Now().Add(wait)
		if of.failed >= mostFailed && !of.tripped && p.anySound() {
			of.tripped = true
			p.log(slog.LevelWarn, "%s fails again and again, its items go elsewhere: %s", s.Name(), e.Text)
		}
	}
}
