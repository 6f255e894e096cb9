package openai

import (
	"cmp"
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
	return m.generate(ctx, requests, m.complete, done)
}

// generate has ask ask a server for each request.
func (m *Model) generate(ctx context.Context, requests iter.Seq[backends.Request],
	ask func(context.Context, *server, *servers.Request) (backends.Completion, error), done func(backends.Completion) error,
) error {
	if m.closed {
		return backends.ErrClosed
	}
	defer m.transport.CloseIdleConnections()
	return m.pool.Generate(ctx, withThinking(requests), servers.Protocol[*server]{
		Context: m.context, Count: m.count, Write: m.writeIfShown, Ask: ask,
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
	if s.known().llama() && a.ending() == whole && c.Stop == "" {
		if c.Stop = a.stoppedBy(m.Tokenize); c.Stop == "" && a.filled() { // ik_llama.cpp
			c.Finish, c.Cause = backends.FinishLength, backends.CauseLength
		}
	}
	m.checkBudget(s, &c, r.Budget)
	if err := m.checkTruncation(ctx, s, a, c.Usage); err != nil {
		return backends.Completion{}, err
	}
	return c, nil
}

// ask asks a server once, and once more without a field that it refuses, which it gets no more from then on. The
// error is a *servers.Error, or why ctx ended.
func (m *Model) ask(ctx context.Context, s *server, r *servers.Request) (*answer, error) {
	lacks := s.known().lacks
	body := m.body(s, r, lacks)
	a, err := m.exchange(ctx, s, r, body)
	if field := refusedField(err, body); field != "" && lacks == "" {
		s.now.Change(func(now *known) { now.lacks = cmp.Or(now.lacks, field) })
		a, err = m.exchange(ctx, s, r, m.body(s, r, field))
	}
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, servers.Ended(ctx)
	}
	return nil, m.classify(err)
}

// exchange makes one request.
func (m *Model) exchange(ctx context.Context, s *server, r *servers.Request, body map[string]any) (*answer, error) {
	watched, monitor, end := m.options.Watched(ctx, r)
	defer end()
	a := &answer{Answer: servers.NewAnswer(r, &s.Load)}
	defer a.Ended()
	path := "completions"
	if r.Messages != nil {
		path = "chat/completions"
	}
	err := s.stream(servers.Monitored(watched, monitor), path, body, a.take)
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
	case spent(err): // by thinking that nobody sees
		a.finish, a.usage.Output = "length", r.MaxTokens
		return a, nil
	case err != nil:
		return nil, err
	case a.finish == "":
		return nil, unfinished(a, monitor)
	}
	return a, nil
}

// unfinished is the error of an answer that ended before it was done, or that is none.
func unfinished(a *answer, monitor *servers.Monitor) error {
	if a.content || len(monitor.Begin) == 0 {
		return servers.ErrEarly
	}
	return &servers.Error{Cause: backends.CauseEngine, Text: fmt.Sprintf("status %d, but no answer: its events have no text", monitor.Status)}
}
