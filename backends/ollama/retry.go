package ollama

import (
	"context"
	"errors"
	"fmt"
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

// retry calls op until it succeeds, at most so many times, with waits between that grow. An error that is no *tryError, or
// a final one, ends it at once; so does ctx, with its reason.
func retry[T any](ctx context.Context, tries int, op func() (T, error)) (T, error) {
	return backoff.Retry(ctx, func() (T, error) {
		value, err := op()
		var e *tryError
		if err != nil && (!errors.As(err, &e) || e.final) {
			err = backoff.Permanent(err)
		}
		return value, err
	}, growing(firstWait, lastWait), backoff.WithMaxTries(uint(tries)), backoff.WithMaxElapsedTime(0))
}

// outcome is an item's completion, and whether a server cut its prompt.
type outcome struct {
	backends.Completion
	cut bool
}

// complete asks until there is a completion, also one that says why there is no text. The error says why ctx ended.
func (m *Model) complete(ctx context.Context, r *request) (outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.options.Deadline, errLate)
	defer cancel()
	tries, allowed := 0, m.pool.allowed(m.options.Tries)
	var from *server
	var last *tryError
	done, err := retry(ctx, allowed, func() (outcome, error) {
		s, err := m.pool.take(ctx, from)
		if err != nil {
			return outcome{}, err
		}
		defer m.pool.give(s)
		from = s
		tries++
		c, err := m.try(ctx, s, r)
		if e := (*tryError)(nil); errors.As(err, &e) {
			if e.lost {
				m.pool.lose(s, e)
			}
			last = &tryError{e.cause, s.name() + ": " + e.text, e.lost, e.final}
			m.options.Log(slog.LevelDebug, fmt.Sprintf("ollama: %s, try %d: %s", r.ID, tries, last.text))
			err = last
		}
		return c, err
	})
	if err != nil {
		if done, err = failure(err, last); err != nil {
			return outcome{}, err
		}
		done.Usage.PromptTokens = len(r.ids)
	}
	m.pool.learn(done.Finish != backends.FinishError, tries >= allowed)
	done.ID, done.Tries = r.ID, tries
	if r.Messages != nil {
		done.Prompt = r.Prompt
	}
	if from != nil && len(m.pool.servers) > 1 {
		done.Server = from.name()
	}
	return done, nil
}

// failure makes a completion of the error that ended an item's last try; other errors say why the context ended. last is
// the error before that, if there was one.
func failure(err error, last *tryError) (outcome, error) {
	var e *tryError
	switch {
	case errors.Is(err, errLate):
		e = classify(errLate)
		if last != nil {
			e.text += "; before that: " + last.text
		}
	case errors.Is(err, errGone):
		e = &tryError{cause: backends.CauseConnection, text: oneLine(err)}
	case !errors.As(err, &e):
		return outcome{}, err
	}
	return outcome{
		Completion: backends.Completion{Finish: backends.FinishError, Cause: e.cause, Error: "ollama: " + e.text},
		cut:        e.cause == backends.CauseTruncated,
	}, nil
}

// try asks a server once, and checks that it read the whole prompt.
func (m *Model) try(ctx context.Context, s *server, r *request) (outcome, error) {
	if r.Prompt == "" { // a conversation
		text, err := m.write(ctx, s, r)
		if err != nil {
			return outcome{}, err
		}
		r.Prompt = text
		refused, err := m.accept(r)
		if err != nil {
			return outcome{}, err
		}
		if refused != nil {
			return outcome{Completion: *refused}, nil
		}
	}
	a, err := m.ask(ctx, s, r)
	if err != nil {
		return outcome{}, err
	}
	usage, err := m.checkTruncation(ctx, s, a)
	if err != nil {
		return outcome{}, err
	}
	c := outcome{Completion: backends.Completion{Text: a.whole(), Usage: usage, Timing: a.timing()}}
	c.Finish, c.Cause = a.finish()
	return c, nil
}
