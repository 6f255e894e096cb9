package servers

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"proctor/backends"
	"proctor/backends/setting"
)

// The waits between tries. The first are short, since most errors are gone at once.
const (
	firstWait = 100 * time.Millisecond
	lastWait  = 5 * time.Second
)

// growing returns waits that grow from first to last.
func growing(first, last time.Duration) backoff.RetryOption {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = first, last
	return backoff.WithBackOff(waits)
}

// Retry calls op until it succeeds, at most tries times, with growing waits between. An error that is no [*Error], or a final one, ends
// it at once; so does ctx, with its reason.
func Retry[T any](ctx context.Context, tries int, op func() (T, error)) (T, error) {
	return backoff.Retry(ctx, func() (T, error) {
		value, err := op()
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Final) {
			err = backoff.Permanent(err)
		}
		return value, err
	}, growing(firstWait, lastWait), backoff.WithMaxTries(uint(tries)), backoff.WithMaxElapsedTime(0))
}

// Try is [Retry] for calls without a result, made before a run: there a lasting error ends it at once too.
func Try(ctx context.Context, tries int, op func() error) error {
	_, err := Retry(ctx, tries, func() (struct{}, error) {
		err := op()
		if e := (*Error)(nil); errors.As(err, &e) && e.Lasts() {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	})
	return err
}

// Complete requests an item's completion until there is one; try sends the request once, to one server. failed says why there is no text if
// every try failed; the completion says so too. The error says why ctx ended, or why the run has to stop.
func (p *Pool[S]) Complete(
	ctx context.Context, r *Request, try func(context.Context, S) (backends.Completion, error),
) (c backends.Completion, failed *Error, err error) {
	ctx, item := p.timed(ctx, r)
	defer item.end()
	var from, none S
	var last *Error
	tries, failures, allowed := 0, 0, p.allowed()
	once := func() (backends.Completion, error) {
		item.stop()
		s, began, err := p.take(ctx, p.Servers, func() (S, time.Duration) { return p.freest(from) })
		item.resume()
		if err != nil {
			return backends.Completion{}, err
		}
		defer p.Give(s)
		from = s
		tries++
		c, err := try(ctx, s)
		if e := p.note(s, began, err); err == nil {
			p.answered(s)
		} else if e != nil {
			last, err = e, e
			p.log(slog.LevelDebug, "%s, try %d: %s", r.ID, tries, last.Text)
		}
		return c, err
	}
	c, err = Retry(ctx, allowed, func() (backends.Completion, error) {
		c, err := untilTaken(once)
		failures++
		return c, err
	})
	if err != nil {
		if failed = failure(err, last); failed == nil {
			return backends.Completion{}, nil, err
		}
		c = backends.Completion{Finish: backends.FinishError, Cause: failed.Cause, Error: p.options.Prefix + failed.Text}
	}
	p.learn(c.Finish != backends.FinishError, failures >= allowed)
	c.ID, c.Tries = r.ID, tries
	if from != none && len(p.Servers) > 1 {
		c.Server = from.Name()
	}
	return c, failed, nil
}

// untilTaken calls once until it is not refused by a busy server: that is no failure, and costs no try.
func untilTaken[T any](once func() (T, error)) (T, error) {
	for {
		value, err := once()
		if e := (*Error)(nil); !errors.As(err, &e) || !e.Busy || e.Final {
			return value, err
		}
	}
}

// note notes what a request to s, which began at began, brought. The error is err with the server's name, and busy
// where it is to be asked again; nil for others than an [*Error].
func (p *Pool[S]) note(s S, began time.Time, err error) *Error {
	var e *Error
	if err != nil && !errors.As(err, &e) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	of := s.InPool()
	if err != nil && e.Busy {
		p.refused(s, began, e)
	} else {
		of.pace.heard()
	}
	if err == nil {
		return nil
	}
	seen, all := *e, of.inFlight
	seen.Text = s.Name() + ": " + e.Text
	switch {
	// it was answering others, which share its context and may all fail
	case e.Full && (all > 1 || !began.After(of.pace.halved)):
		if of.pace.halve(time.Now(), began, all) {
			p.log(slog.LevelWarn, "%s has no room for %d answers at a time, which share its context: it gets %d at a time (%s)",
				s.Name(), all, of.pace.limit, e.Text)
		}
		seen.Busy, seen.Final = true, false
	case e.Lost:
		p.lose(s, e)
	}
	return &seen
}

// answered notes that an item was answered, while there are more of them: the last ones are fewer at a time than a
// server may have.
func (p *Pool[S]) answered(s S) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.last {
		s.InPool().pace.answered(time.Now(), s.InPool().Load.Pieces())
	}
}

// refused notes that a server refused a request for now, and logs what follows.
func (p *Pool[S]) refused(s S, began time.Time, e *Error) {
	of := s.InPool()
	if !of.pace.refused(time.Now(), began, of.inFlight, e) {
		return
	}
	switch pause := of.pace.pause; {
	case pause > p.options.Deadline:
		p.log(slog.LevelError, "%s asks for a pause of %s, longer than %s: it gets no more items (%s)", s.Name(),
			pause.Round(time.Second), setting.Timeout, e.Text)
	case pause >= longPause:
		p.log(slog.LevelWarn, "%s asks for a pause of %s: its items wait until %s (%s)", s.Name(), pause.Round(time.Second),
			of.pace.paused.Format(time.TimeOnly), e.Text)
	case !of.slowed:
		p.log(slog.LevelWarn, "%s refuses requests for now: it gets fewer at a time (%s)", s.Name(), e.Text)
	}
	of.slowed = true
}

// An itemClock ends an item's context when its time is over, unless an answer comes at the server's pace. It stands still while the item
// waits for a server that has room: the pool bounds those waits.
type itemClock struct {
	timer    *time.Timer
	left     time.Duration
	since    time.Time
	interval time.Duration // between two checks of a late answer
	answer   *atomic.Pointer[Share]
	cancel   context.CancelCauseFunc
}

// lateChecks is how often a late answer is checked within the time that an item may take.
const lateChecks = 10

func (p *Pool[S]) timed(ctx context.Context, r *Request) (context.Context, *itemClock) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &itemClock{left: p.options.Deadline, interval: p.options.Deadline / lateChecks, answer: &r.share, cancel: cancel}
	c.timer = time.AfterFunc(math.MaxInt64, c.over)
	c.resume()
	return ctx, c
}

func (c *itemClock) over() {
	if !c.answer.Load().Comes() {
		c.cancel(ErrLate)
		return
	}
	c.timer.Reset(c.interval)
}

func (c *itemClock) stop() {
	c.timer.Stop()
	c.left -= time.Since(c.since)
}

func (c *itemClock) resume() {
	c.since = time.Now()
	c.timer.Reset(max(0, c.left))
}

func (c *itemClock) end() {
	c.timer.Stop()
	c.cancel(nil)
}

// Ask asks one server, or any where only is none, at its pace, until one takes the request.
func (p *Pool[S]) Ask(ctx context.Context, only S, ask func(S) error) error {
	var none S
	choose := func() (S, time.Duration) { return p.freest(none) }
	among := p.Servers
	if only != none {
		among = []S{only}
		choose = func() (S, time.Duration) {
			if wait := time.Until(only.InPool().pace.paused); wait > 0 {
				return none, wait
			}
			return only, 0
		}
	}
	_, err := untilTaken(func() (struct{}, error) {
		s, began, err := p.take(ctx, among, choose)
		if err != nil {
			return struct{}{}, err
		}
		defer p.Give(s)
		err = ask(s)
		if e := p.note(s, began, err); e != nil && e.Busy {
			err = e
		}
		return struct{}{}, err
	})
	return err
}

// Prepare has ask ask a server, or any where only is none, within an item's time, at its pace, and again where that
// fails. A lasting error ends it.
func (p *Pool[S]) Prepare(ctx context.Context, only S, ask func(context.Context, S) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.Deadline, ErrLate)
	defer cancel()
	return Try(ctx, p.options.Tries, func() error {
		return p.Ask(ctx, only, func(s S) error { return ask(ctx, s) })
	})
}

// failure is the error that ended an item's last try; nil for others, which say why the context ended. last is the error
// before that, if there was one.
func failure(err error, last *Error) *Error {
	var e *Error
	switch {
	case errors.Is(err, ErrLate):
		e = &Error{Cause: backends.CauseTimeout, Text: OneLine(ErrLate), Final: true}
		if last != nil {
			e.Text += "; before that: " + last.Text
		}
	case errors.Is(err, ErrRefusing):
		e = &Error{Cause: backends.CauseTimeout, Text: OneLine(err)}
	case errors.Is(err, ErrGone):
		e = &Error{Cause: backends.CauseConnection, Text: OneLine(err)}
		if outage := (*Error)(nil); errors.As(err, &outage) && outage.Lasts() {
			e.Cause = outage.Cause
		}
	case !errors.As(err, &e):
		return nil
	}
	return e
}

// allowed is how many tries an item has: one while items fail in all their tries, so that a run against a server that can answer none of
// them does not take hours.
func (p *Pool[S]) allowed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing {
		return 1
	}
	return p.options.Tries
}

// learn notes whether an item was answered.
func (p *Pool[S]) learn(answered, exhausted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case answered:
		p.failing = false
	case exhausted:
		p.failing = true
	}
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
