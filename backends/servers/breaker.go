package servers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"proctor/backends/setting"
)

// The circuit breaker: a server whose requests keep failing gets one only now and then, while others do better.
const (
	mostFailed = 5
	firstTrial = time.Second
	lastTrial  = 30 * time.Second
)

// resting says whether a server gets no requests now: it fails, and the next trial is not due.
func (s *State) resting(now time.Time) bool {
	return s.failed >= mostFailed && (s.inFlight > 0 || now.Before(s.trial))
}

// anyHealthy says whether any server answers without failing.
func (p *Pool[S]) anyHealthy() bool {
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

// recordFailure notes what a request to a server, which began at began, came to.
func (p *Pool[S]) recordFailure(s S, began time.Time, e *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := s.InPool()
	if e.Busy {
		p.refused(s, began, e)
		return
	}
	of.pace.answered()
	if e.Full && p.crowded(s, began, e) {
		e.Busy, e.Final = true, false
	}
	switch {
	case e.Busy:
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
		if of.failed >= mostFailed && !of.tripped && p.anyHealthy() {
			of.tripped = true
			p.log(slog.LevelWarn, "%s fails again and again, its items go elsewhere: %s", s.Name(), e.Text)
		}
	}
}

// crowded says whether a request met a full context because the server was answering others, which share it. It gets fewer at a time
// then. All that it was answering may fail together: they are one reason for that.
func (p *Pool[S]) crowded(s S, began time.Time, e *Error) bool {
	of := s.InPool()
	if !began.After(of.crowded) {
		return true
	}
	if of.inFlight == 1 {
		return false
	}
	all := of.inFlight
	of.limit, of.crowded = max(1, all*3/4), time.Now()
	p.log(slog.LevelWarn, "%s has no room for %d answers at a time, which share its context: it gets %d at a time (%s)", s.Name(), all,
		of.limit, e.Text)
	return true
}

// WaitFor waits for the pause that a busy server asks for; it fails at once with err where ctx ends before that.
func WaitFor(ctx context.Context, pause time.Duration, err error) error {
	if pause <= 0 {
		pause = unsaidPause
	}
	if end, has := ctx.Deadline(); has && time.Until(end) < pause {
		return err
	}
	return Wait(ctx, nil, pause)
}

// refused notes that a server refused a request which began at began, and logs what follows.
func (p *Pool[S]) refused(s S, began time.Time, e *Error) {
	of := s.InPool()
	if !of.pace.refuse(time.Now(), began, of.inFlight-1, e.Pause) {
		return
	}
	of.refusal = e
	switch pause := of.pace.pause; {
	case pause > p.options.Deadline:
		p.log(slog.LevelError, "%s asks for a pause of %s, longer than %s: it gets no more items (%s)", s.Name(),
			pause.Round(time.Second), setting.Timeout, e.Text)
	case pause >= longPause:
		p.log(slog.LevelWarn, "%s asks for a pause of %s: its items wait until %s (%s)", s.Name(), pause.Round(time.Second),
			of.pace.paused.Format(time.TimeOnly), e.Text)
	case !of.slowed:
		p.log(slog.LevelWarn, "%s refuses requests that come too fast: it gets them more slowly (%s)", s.Name(), e.Text)
	}
	of.slowed = true
}

// longPause is a pause that is logged each time that a server asks for it.
const longPause = 10 * time.Second

// refusing returns why no server takes requests, or will in time; nil where one does.
func (p *Pool[S]) refusing(now time.Time, among []S) error {
	var why error
	for _, s := range among {
		of := s.InPool()
		if !of.up {
			continue
		}
		switch pause := of.pace.paused.Sub(now); {
		case of.inFlight > 0:
			return nil
		case pause > 0 && of.pace.pause > p.options.Deadline:
			why = fmt.Errorf("%s%s asks for a pause of %s (until %s), longer than %[5]s: %[6]s the run then, raise %[5]s, or name "+
				"another server (%[7]s)",
				p.options.Prefix, s.Name(), of.pace.pause.Round(time.Second), of.pace.paused.Format("2 January 15:04:05"), setting.Timeout,
				setting.Resume, of.refusal.Text)
		case !of.pace.since.IsZero() && now.Sub(of.pace.since) > p.options.Deadline:
			why = fmt.Errorf("%s: %w; it said: %s", s.Name(), ErrRefusing, of.refusal.Text)
		default:
			return nil
		}
	}
	return why
}
