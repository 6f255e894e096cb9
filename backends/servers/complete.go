package servers

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"

	"proctor/backends"
)

// The waits between tries. The first are short, since most errors are gone at once.
const (
	firstWait = 100 * time.Millisecond
	lastWait  = 5 * time.Second
)

// growing are waits that grow from first to last.
func growing(first, last time.Duration) backoff.RetryOption {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = first, last
	return backoff.WithBackOff(waits)
}

// Retry calls op until it succeeds, at most so many times, with waits between that grow. An error that is no [*Error], or
// a final one, ends it at once; so does ctx, with its reason.
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

// Complete asks for an item until there is a completion; try asks a server once. failed is why there is no text where no try
// brought one: the completion says so too. The error says why ctx ended.
func (p *Pool[S]) Complete(
	ctx context.Context, id string, try func(context.Context, S) (backends.Completion, error),
) (c backends.Completion, failed *Error, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.Deadline, ErrLate)
	defer cancel()
	var from, none S
	var last *Error
	tries, allowed := 0, p.allowed()
	c, err = Retry(ctx, allowed, func() (backends.Completion, error) {
		s, err := p.Take(ctx, from)
		if err != nil {
			return backends.Completion{}, err
		}
		defer p.Give(s)
		from = s
		tries++
		c, err := try(ctx, s)
		e := (*Error)(nil)
		switch {
		case err == nil:
			p.succeeded(s)
		case errors.As(err, &e):
			p.stumbled(s, e)
			named := *e
			named.Text = s.Name() + ": " + e.Text
			last, err = &named, &named
			p.log(slog.LevelDebug, "%s, try %d: %s", id, tries, last.Text)
		}
		return c, err
	})
	if err != nil {
		if failed = failure(err, last); failed == nil {
			return backends.Completion{}, nil, err
		}
		c = backends.Completion{Finish: backends.FinishError, Cause: failed.Cause, Error: p.options.Prefix + failed.Text}
	}
	p.learn(c.Finish != backends.FinishError, tries >= allowed)
	c.ID, c.Tries = id, tries
	if from != none && len(p.Servers) > 1 {
		c.Server = from.Name()
	}
	return c, failed, nil
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
	case errors.Is(err, ErrGone):
		e = &Error{Cause: backends.CauseConnection, Text: OneLine(err)}
	case !errors.As(err, &e):
		return nil
	}
	return e
}

// allowed is how often an item may be asked: once while items fail in all their tries, so that a server which can
// answer none of them is not asked for hours.
func (p *Pool[S]) allowed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing {
		return 1
	}
	return p.options.Tries
}

// learn notes what became of an item.
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
