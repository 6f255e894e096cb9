package ollama

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"proctor/backends"
)

// settled is an item's completion, and whether a server cut its prompt.
type settled struct {
	backends.Completion
	cut bool
}

// complete asks until there is a completion, also one that says why there is no text. The error says why ctx ended.
func (m *Model) complete(ctx context.Context, q *question) (settled, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.options.Deadline, errLate)
	defer cancel()
	tries, allowed := 0, m.pool.allowed(m.options.Tries)
	var from *server
	var last *fault
	done, err := again(ctx, allowed, func() (settled, error) {
		s, err := m.pool.take(ctx, func(s *server) bool { return s != from })
		if err != nil {
			return settled{}, err
		}
		defer m.pool.give(s)
		from = s
		tries++
		c, err := m.try(ctx, s, q)
		if f := (*fault)(nil); errors.As(err, &f) {
			if f.lost {
				m.pool.lose(s, f)
			}
			f.text = s.name() + ": " + f.text
			last = f
			m.options.Log(slog.LevelDebug, fmt.Sprintf("ollama: %s, try %d: %s", q.ID, tries, f.text))
		}
		return c, err
	})
	if err != nil {
		if done, err = failure(err, last); err != nil {
			return settled{}, err
		}
		done.Usage.PromptTokens = len(q.ids)
	}
	m.pool.learn(done.Finish != backends.FinishError, tries >= allowed)
	done.ID, done.Tries = q.ID, tries
	if q.Messages != nil {
		done.Prompt = q.Prompt
	}
	if from != nil && len(m.pool.servers) > 1 {
		done.Server = from.name()
	}
	return done, nil
}

// failure makes a completion of the error that ended an item's last try; other errors say why the context ended. last is
// the fault before that, if there was one.
func failure(err error, last *fault) (settled, error) {
	var f *fault
	switch {
	case errors.Is(err, errLate):
		f = judge(errLate)
		if last != nil {
			f.text += "; before that: " + last.text
		}
	case errors.Is(err, errGone):
		f = &fault{cause: backends.CauseConnection, text: oneLine(err)}
	case !errors.As(err, &f):
		return settled{}, err
	}
	return settled{
		Completion: backends.Completion{Finish: backends.FinishError, Cause: f.cause, Error: "ollama: " + f.text},
		cut:        f.cause == backends.CauseTruncated,
	}, nil
}

// try asks a server once, and checks that it read the whole prompt.
func (m *Model) try(ctx context.Context, s *server, q *question) (settled, error) {
	if q.Prompt == "" { // a conversation
		text, err := m.writtenDown(ctx, s, q)
		if err != nil {
			return settled{}, err
		}
		q.Prompt = text
		refused, err := m.accept(q)
		if err != nil {
			return settled{}, err
		}
		if refused != nil {
			return settled{Completion: *refused}, nil
		}
	}
	a, err := m.ask(ctx, s, q)
	if err != nil {
		return settled{}, err
	}
	usage, err := m.guard(ctx, s, a)
	if err != nil {
		return settled{}, err
	}
	c := settled{Completion: backends.Completion{Text: a.whole(), Usage: usage, Timing: a.timing()}}
	c.Finish, c.Cause = a.finish()
	return c, nil
}

// allowed is how often an item may be asked: once while items fail in all their tries, so that a server which can
// answer none of them is not asked for hours.
func (p *pool) allowed(tries int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing {
		return 1
	}
	return tries
}

// learn notes what became of an item.
func (p *pool) learn(answered, exhausted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case answered:
		p.failing = false
	case exhausted:
		p.failing = true
	}
}
