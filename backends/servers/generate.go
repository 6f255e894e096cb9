package servers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"proctor/backends"
)

// outcome is an item's completion.
type outcome struct {
	backends.Completion
	failed *Error // why no server answered; nil where one did, or no request was needed
	err    error  // why there is no completion
}

// Generate implements [backends.Model].
func (m *Model) Generate(
	ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error,
) error {
	if m.closed {
		return backends.ErrClosed
	}
	defer m.options.Idle()
	stop := m.start(ctx)
	defer stop()
	sending, cancel := context.WithCancel(ctx)
	var flying sync.WaitGroup
	defer flying.Wait()
	defer cancel()
	next, end := iter.Pull(requests)
	defer end()
	results := make(chan outcome, len(m.servers)*MostInFlight)
	verdict := verdict{remedy: m.options.Remedy}
	for inFlight, more := 0, true; ; {
		for more && inFlight < m.atOnce() && ctx.Err() == nil {
			var r backends.Request
			if r, more = next(); !more {
				m.last.Store(true)
				break
			}
			taken := &Request{Request: r, Run: &m.run, Pulled: time.Now()}
			inFlight++
			flying.Go(func() { results <- m.answer(sending, taken) })
		}
		if inFlight == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
		case o := <-results:
			inFlight--
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if o.err != nil {
				return o.err
			}
			if err := done(o.Completion); err != nil {
				return err
			}
			if err := verdict.see(o); err != nil {
				return err
			}
		}
	}
}

// A verdict ends a run in which something is wrong with all requests, not with an item.
type verdict struct {
	remedy           string // where prompts are cut
	seen, cut, alike int
	first            *Error // the error of the first item that failed; alike have its cause
}

// A run stops where more than a share of its prompts were cut, unless those are so few that they may be the longest by
// chance, and where the first requests all get the same error.
const (
	mostCut   = 0.01
	fewestCut = 3
	allAlike  = 10
)

// see counts an item.
func (v *verdict) see(o outcome) error {
	v.seen++
	if o.failed == nil {
		return nil
	}
	if v.first == nil {
		v.first = o.failed
	}
	if o.failed.Cause == v.first.Cause {
		v.alike++
	}
	if o.failed.Cause == backends.CauseTruncated {
		if v.cut++; v.cut >= fewestCut && float64(v.cut)/float64(v.seen) > mostCut {
			return fmt.Errorf("%d of %d prompts did not fit the server's context, so the run stops: %w; %s", v.cut, v.seen,
				o.failed, v.remedy)
		}
	}
	passes := v.first.Cause == backends.CauseConnection || v.first.Cause == backends.CauseTimeout
	if !passes && v.seen == allAlike && v.alike == allAlike {
		return fmt.Errorf("the first %d requests all failed, so the run stops: %w", allAlike, v.first)
	}
	return nil
}

// lateChecks is how often a late answer is checked within the time that an item may take.
const lateChecks = 10

// answer asks until there is a completion, also one that says why there is no text. An item is given up when its time
// is over, unless an answer comes at the server's pace. The time stands still while the item waits for a server that
// has room: take bounds those waits.
func (m *Model) answer(ctx context.Context, r *Request) (o outcome) {
	if unfit, err := m.accept(r); err != nil || unfit.Finish != "" {
		return outcome{Completion: unfit, err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var late *time.Timer
	late = time.AfterFunc(math.MaxInt64, func() { // its time begins with the first try
		if !r.share.Load().comes() {
			cancel(ErrLate)
			return
		}
		late.Reset(m.options.Timeout / lateChecks)
	})
	defer late.Stop()
	end := time.Now().Add(m.options.Timeout)
	allowed := m.options.Tries
	if m.failing.Load() { // so that a run against a server that can answer none of its items does not take hours
		allowed = 1
	}
	var c backends.Completion
	var from *server
	var last *Error
	requests, tries := 0, 0
	err := retry(ctx, allowed, func() error {
		tries++
		late.Stop()
		free := time.Now()
		s, began, err := m.take(ctx, nil, from)
		end = end.Add(time.Since(free))
		late.Reset(time.Until(end))
		if err != nil {
			return err
		}
		defer m.give(s)
		from = s
		requests++
		c, err = m.finish(ctx, s, r)
		if e := m.note(s, began, err); e != nil {
			last, err = e, e
			m.log(slog.LevelDebug, "%s, try %d: %s", r.ID, requests, last.Text)
			if e.Busy {
				tries--
			}
		}
		return err
	})
	if err != nil {
		if o.failed = errorOf(ended(err)); o.failed == nil {
			return outcome{err: err}
		}
		if errors.Is(err, ErrLate) && last != nil {
			o.failed.Text += "; before that: " + last.Text
		}
		c = backends.Completion{Finish: backends.FinishError, Cause: o.failed.Cause, Error: o.failed.Text,
			Usage: backends.Usage{PromptTokens: len(r.IDs)}}
		if o.failed.Cause == backends.CauseRefused { // by a filter in front of the model: an answer, though no text
			c, o.failed = backends.Completion{Finish: backends.FinishStop, Cause: backends.CauseRefused, Text: o.failed.Text},
				nil
		} else if o.failed.Final && o.failed.Cause == backends.CauseEngine && !m.told.Swap(true) {
			m.log(slog.LevelWarn, "an item failed, and would again: %s", o.failed.Text)
		}
	}
	if failed := c.Finish == backends.FinishError; !failed || tries >= allowed {
		m.failing.Store(failed)
	}
	c.ID, c.Tries = r.ID, requests
	if from != nil && len(m.servers) > 1 {
		c.Server = from.Name()
	}
	if r.Messages != nil {
		c.Prompt = r.Prompt
	}
	o.Completion = c
	return o
}

// accept counts a request's prompt. The completion of one that makes no sense, or does not fit, is whole already; that
// of others is empty.
func (m *Model) accept(r *Request) (unfit backends.Completion, err error) {
	if r.Prompt != "" {
		if r.IDs, err = m.count(r.Prompt); err != nil {
			return unfit, err
		}
	}
	refuse := func(cause backends.Cause, format string, a ...any) {
		unfit = backends.Completion{ID: r.ID, Finish: backends.FinishError, Cause: cause, Error: fmt.Sprintf(format, a...),
			Usage: backends.Usage{PromptTokens: len(r.IDs)}}
	}
	tooLong := backends.Workload{PromptTokens: len(r.IDs), MaxTokens: r.MaxTokens}.Fits(r.Context)
	switch {
	case r.MaxTokens <= 0 && r.Forced == nil:
		refuse(backends.CauseEngine, "a cap of %d tokens leaves nothing to generate", r.MaxTokens)
	case r.Prompt == "" && len(r.Messages) == 0:
		refuse(backends.CauseEngine, "the prompt is empty")
	case tooLong != nil:
		refuse(backends.CauseTruncated, "%v: %s", tooLong, m.options.Remedy)
	}
	return unfit, nil
}

// finish has a server render a request's conversation, where it shows that, asks it once, and makes a completion of its
// answer.
func (m *Model) finish(ctx context.Context, s *server, r *Request) (c backends.Completion, err error) {
	if r.Prompt == "" {
		r.Prompt, err = m.render(ctx, s, r)
		if err != nil && !errors.Is(err, ErrUnable) {
			return c, err
		}
		if c, err = m.accept(r); err != nil || c.Finish != "" {
			return c, err
		}
	}
	a, err := m.ask(ctx, s, r)
	if err != nil {
		return c, err
	}
	if e := a.odd(); e != nil {
		e.Text = m.plain(e.Text)
		return c, e
	}
	c = a.completion(m.count)
	if err := m.checkTruncation(ctx, s, a, c.Usage); err != nil {
		return backends.Completion{}, err
	}
	if note := m.ends.see(a, &c); note != "" {
		m.log(slog.LevelWarn, "%s: %s", s.Name(), note)
	}
	return c, nil
}

// ask makes one request. The error is an [*Error], or why ctx ended.
func (m *Model) ask(ctx context.Context, s *server, r *Request) (*Answer, error) {
	a := newAnswer(r, &s.load)
	defer a.ended()
	seen := &monitor{limit: mostBytesOf(&r.Request)}
	err := m.exchange(ctx, m.options.Silence, seen, func(ctx context.Context) error { return s.Generate(ctx, r, a) })
	if err == nil && (a.Finish != "" || a.Stopped()) {
		return a, nil
	}
	if (err == nil || errors.Is(err, ErrEarly)) && (a.Loops || !a.Stopped() && a.again >= repeatsToLoop) {
		a.Loops = true
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	if a.HasText || !seen.began {
		return nil, ErrEarly
	}
	return nil, &Error{Cause: backends.CauseEngine,
		Text: fmt.Sprintf("status %d, but no answer: its events have no text", seen.status)}
}

// exchange watches a request, which ends when the server sends nothing for so long, or more than seen allows. The error
// is an [*Error], [ErrEarly] and [ErrUnable] as they are, or why ctx ended.
func (m *Model) exchange(
	ctx context.Context, silent time.Duration, seen *monitor, do func(context.Context) error,
) error {
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silent, func() { cancel(ErrSilent) })
	defer silence.Stop()
	seen.received = func() { silence.Reset(silent) }
	err := do(context.WithValue(watched, monitorKey{}, seen))
	refusal, refused := errors.AsType[*Refusal](err)
	if refused && refusal.Header == nil {
		refusal.Header = seen.header
	}
	switch {
	case err == nil, errors.Is(err, errWhole):
		return nil
	case watched.Err() != nil:
		return ended(context.Cause(watched))
	case errors.Is(err, ErrUnable):
		return err
	case seen.broken != nil: // err may be about half a line
		err = seen.broken
	case errors.Is(err, ErrEarly) && seen.status >= http.StatusMultipleChoices: // a refusal without a word
		err = &Refusal{Code: seen.status, Header: seen.header}
	case errors.Is(err, ErrEarly):
		return err
	}
	return m.failure(err)
}

// prepare has ask ask a server, or any where only is nil, before the run or between two, within an item's time, at its
// pace, and again where that fails. A lasting error ends it.
func (m *Model) prepare(ctx context.Context, only *server, ask func(context.Context, *server) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, m.options.Timeout, ErrLate)
	defer cancel()
	return retry(ctx, m.options.Tries, func() error {
		s, began, err := m.take(ctx, only, nil)
		if err != nil {
			return unlessLasting(err)
		}
		defer m.give(s)
		err = ask(ctx, s)
		if e := m.note(s, began, err); e != nil && e.Busy {
			return e
		}
		return unlessLasting(err)
	})
}

// Probe has ask ask the first server before the first question, with a request that generates something.
func (m *Model) Probe(ctx context.Context, ask func(context.Context) error) error {
	m.probes++
	return m.prepare(ctx, m.first, func(ctx context.Context, _ *server) error {
		return m.exchange(ctx, m.options.Silence, &monitor{}, ask)
	})
}

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

// retry calls op until it succeeds, at most tries times, with growing waits between; what a busy server refuses is no
// failure, and costs no try. An error that is no [*Error], or a final one, ends it at once; so does ctx, with its
// reason.
func retry(ctx context.Context, tries int, op func() error) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := op()
		for e := errorOf(err); e != nil && e.Busy; e = errorOf(err) {
			err = op()
		}
		if e := errorOf(err); err != nil && (e == nil || e.Final) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, growing(firstWait, lastWait), backoff.WithMaxTries(uint(tries)), backoff.WithMaxElapsedTime(0))
	return err
}

// unlessLasting has retry end at a lasting error, as before a run.
func unlessLasting(err error) error {
	if errorOf(err).Lasts() {
		return backoff.Permanent(err)
	}
	return err
}
