package openai

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"proctor/backends"
	"proctor/backends/servers"
)

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return ErrClosed
	}
	defer m.transport.CloseIdleConnections()
	return m.pool.Generate(ctx, requests, servers.Protocol[*server]{
		Context: m.context, Count: m.count, Write: m.writeIfShown, Ask: m.complete,
		Truncations: servers.Truncations{
			What: "the server's context",
			Remedy: "give the server a larger one (llama-server -c, vLLM --max-model-len, OLLAMA_CONTEXT_LENGTH), or lower " +
				"--shots or --max-tokens",
		},
	}, done)
}

// count splits a prompt into tokens; nil where nobody can.
func (m *Model) count(prompt string) ([]int32, error) {
	ids, err := m.Tokenize(prompt)
	if err != nil {
		return nil, nil
	}
	return ids, nil
}

// writeIfShown has a server write a conversation down, where it shows that.
func (m *Model) writeIfShown(ctx context.Context, s *server, r *servers.Request) (string, error) {
	text, err := m.write(ctx, s, r.Messages, r.Think)
	if errors.Is(err, errUnwritten) {
		return "", nil
	}
	return text, err
}

// complete asks a server once, and checks that it read the whole prompt.
func (m *Model) complete(ctx context.Context, s *server, r *servers.Request) (c backends.Completion, err error) {
	a, err := m.ask(ctx, s, r)
	if err != nil {
		return c, err
	}
	c = a.completion()
	if err := m.checkTruncation(s, a, c.Usage); err != nil {
		return backends.Completion{}, err
	}
	if r.Logprobs > 0 {
		untold := errUntried
		if s.logprobs.Load() != untried {
			c.Predictions, untold = m.predictions(a)
		}
		if untold != nil {
			m.untold.Do(func() {
				m.warn("%s: of %s and whatever else it tells as little of no log-probabilities are kept: %v", s.Name(), r.ID, untold)
			})
		}
	}
	return c, nil
}

// ask asks a server once, and again without what it refuses. The error is a *servers.Error, or why ctx ended.
func (m *Model) ask(ctx context.Context, s *server, r *servers.Request) (*answer, error) {
	for {
		a, err := m.exchange(ctx, s, r)
		switch {
		case err == nil:
			s.busy.Store(0)
			return a, nil
		case ctx.Err() != nil:
			return nil, servers.Ended(ctx)
		case s.learn(err):
			continue
		}
		e := m.classify(err)
		if e.Pause == unsaid {
			e.Pause *= 1 << min(s.busy.Add(1)-1, 5)
		}
		return nil, e
	}
}

// exchange makes one request.
func (m *Model) exchange(ctx context.Context, s *server, r *servers.Request) (*answer, error) {
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(m.options.Silence, func() { cancel(servers.ErrSilent) })
	defer silence.Stop()
	monitor := &servers.Monitor{Received: func() { silence.Reset(m.options.Silence) }}
	timed = servers.Monitored(timed, monitor)
	a := newAnswer(r, s)
	defer a.ended()
	var err error
	if r.Messages != nil {
		err = read(s.chat.NewStreaming(timed, s.turn(r), s.extras(r)...), a.turn)
	} else {
		err = read(s.completions.NewStreaming(timed, s.raw(r), s.extras(r)...), a.raw)
	}
	switch {
	case a.stopped && a.finish == "":
		return a, nil
	case err == nil && monitor.Broken == nil && a.loops():
		return a, nil
	case timed.Err() != nil && ctx.Err() == nil:
		return nil, servers.Ended(timed)
	case monitor.Broken != nil:
		return nil, &servers.Error{Cause: backends.CauseConnection, Lost: true,
			Text: "the connection broke in mid-answer: " + m.plain(monitor.Broken.Error())}
	case err != nil:
		return nil, err
	case a.finish == "":
		return nil, servers.ErrEarly
	}
	return a, nil
}

// read takes the events of a stream until it ends, or take says that the text is done.
func read[T any](events *ssestream.Stream[T], take func(T) bool) error {
	defer events.Close()
	for events.Next() {
		if take(events.Current()) {
			return nil
		}
	}
	return events.Err()
}
