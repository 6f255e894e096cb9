package ollama

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"

	"proctor/backends"
	"proctor/backends/ollama/client"
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

// retry calls op until it succeeds, at most so many times, with waits between that grow. An error that is no *client.Error, or
// a final one, ends it at once; so does ctx, with its reason.
func retry[T any](ctx context.Context, tries int, op func() (T, error)) (T, error) {
	return backoff.Retry(ctx, func() (T, error) {
		value, err := op()
		var e *client.Error
		if err != nil && (!errors.As(err, &e) || e.Final) {
			err = backoff.Permanent(err)
		}
		return value, err
	}, growing(firstWait, lastWait), backoff.WithMaxTries(uint(tries)), backoff.WithMaxElapsedTime(0))
}

// outcome is an item's completion.
type outcome struct {
	backends.Completion
	refused bool // no server was asked
	cut     bool // a server cut its prompt
}

// complete asks until there is a completion, also one that says why there is no text. The error says why ctx ended.
func (m *Model) complete(ctx context.Context, r *request) (outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.options.Deadline, client.ErrLate)
	defer cancel()
	tries, allowed := 0, m.pool.allowed(m.options.Tries)
	var from *server
	var last *client.Error
	done, err := retry(ctx, allowed, func() (outcome, error) {
		s, err := m.pool.take(ctx, from)
		if err != nil {
			return outcome{}, err
		}
		defer m.pool.give(s)
		from = s
		tries++
		c, err := m.try(ctx, s, r)
		if e := (*client.Error)(nil); errors.As(err, &e) {
			if e.Lost {
				m.pool.lose(s, e)
			}
			last = &client.Error{Cause: e.Cause, Text: s.Name() + ": " + e.Text, Lost: e.Lost, Final: e.Final}
			m.options.Log(slog.LevelDebug, fmt.Sprintf("ollama: %s, try %d: %s", r.ID, tries, last.Text))
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
		done.Server = from.Name()
	}
	return done, nil
}

// failure makes a completion of the error that ended an item's last try; other errors say why the context ended. last is
// the error before that, if there was one.
func failure(err error, last *client.Error) (outcome, error) {
	var e *client.Error
	switch {
	case errors.Is(err, client.ErrLate):
		e = client.Classify(client.ErrLate)
		if last != nil {
			e.Text += "; before that: " + last.Text
		}
	case errors.Is(err, errGone):
		e = &client.Error{Cause: backends.CauseConnection, Text: client.OneLine(err)}
	case !errors.As(err, &e):
		return outcome{}, err
	}
	return outcome{
		Completion: backends.Completion{Finish: backends.FinishError, Cause: e.Cause, Error: "ollama: " + e.Text},
		cut:        e.Cause == backends.CauseTruncated,
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
