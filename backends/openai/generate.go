package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return backends.ErrClosed
	}
	defer m.transport.CloseIdleConnections()
	return m.pool.Generate(ctx, withThinking(requests), servers.Protocol[*server]{
		Context: m.context, Count: m.count, Write: m.writeIfShown, Ask: m.complete,
		Truncations: servers.Truncations{
			What: "the server's context",
			Remedy: fmt.Sprintf("give the server a larger one (llama-server -c, vLLM --max-model-len, OLLAMA_CONTEXT_LENGTH), or lower %s or %s",
				setting.Shots, setting.MaxTokens),
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
	text, err := m.write(ctx, s, r.Messages, m.variables(r.Think, m.effort))
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
	if odd := a.odd(); odd != nil {
		odd.Text = m.plain(odd.Text)
		return c, odd
	}
	c = a.completion(m.Tokenize)
	if s.known().engine == llamaServer && a.ending() == whole && c.Stop == "" {
		c.Stop = a.stoppedBy(m.Tokenize)
	}
	m.checkBudget(s, &c, r.Budget)
	if err := m.checkTruncation(ctx, s, a, c.Usage); err != nil {
		return backends.Completion{}, err
	}
	return c, nil
}

// ask asks a server once, and again without what it refuses. The error is a *servers.Error, or why ctx ended.
func (m *Model) ask(ctx context.Context, s *server, r *servers.Request) (*answer, error) {
	for {
		without := s.known().lacks
		a, err := m.exchange(ctx, s, r, without)
		switch {
		case err == nil:
			return a, nil
		case ctx.Err() != nil:
			return nil, servers.Ended(ctx)
		case s.learn(err, without):
			continue
		}
		return nil, m.classify(err)
	}
}

// exchange makes one request, without what the server is known to lack.
func (m *Model) exchange(ctx context.Context, s *server, r *servers.Request, without refusals) (*answer, error) {
	watched, monitor, end := m.options.Watched(ctx, r)
	defer end()
	a := &answer{Answer: servers.NewAnswer(r, &s.load)}
	defer a.Ended()
	path := "completions"
	if r.Messages != nil {
		path = "chat/completions"
	}
	err := s.stream(servers.Monitored(watched, monitor), path, m.body(s, r, without), a.take)
	switch {
	case err == nil && a.Stopped() && a.finish == "":
		return a, nil
	case err == nil && monitor.Broken == nil && a.loops():
		return a, nil
	case watched.Err() != nil && ctx.Err() == nil:
		return nil, servers.Ended(watched)
	case monitor.Broken != nil:
		e := *monitor.Failure()
		e.Text = m.plain(e.Text)
		return nil, &e
	case err != nil:
		return nil, err
	case a.finish == "":
		return nil, m.unfinished(a, monitor)
	}
	return a, nil
}

// unfinished is the error of an answer that ended before it was done. It may be no answer, but say in JSON why there is none, or nothing.
func (m *Model) unfinished(a *answer, monitor *servers.Monitor) error {
	said, _ := words(bytes.NewReader(monitor.Begin))
	switch {
	case said != "":
	case a.content || len(monitor.Begin) == 0:
		return servers.ErrEarly
	default:
		said = "its events have no text"
	}
	e := &servers.Error{Cause: backends.CauseEngine, Text: m.plain(fmt.Sprintf("status %d, but no answer: %s", monitor.Status, said))}
	noteLength(e)
	return e
}
