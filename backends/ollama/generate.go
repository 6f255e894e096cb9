package ollama

import (
	"context"
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
	m.fixContext()
	defer m.transport.CloseIdleConnections()
	return m.pool.Generate(ctx, requests, servers.Protocol[*server]{
		Context: m.context, Setting: setting.Context, Count: m.tokenize, Write: m.write, Ask: m.complete,
		Truncations: servers.Truncations{
			Prefix: "ollama: ", What: fmt.Sprintf("the server's context (num_ctx was %d)", m.context),
			Remedy: fmt.Sprintf("give a larger %s, or see what limits the server (OLLAMA_CONTEXT_LENGTH, its memory, a proxy)", setting.Context),
		},
	}, done)
}

// complete asks a server once, and checks that it read the whole prompt.
func (m *Model) complete(ctx context.Context, s *server, r *servers.Request) (c backends.Completion, err error) {
	a, err := m.ask(ctx, s, r)
	if err != nil {
		return c, err
	}
	if odd := a.odd(); odd != nil {
		return c, odd
	}
	usage, err := m.checkTruncation(ctx, s, a)
	if err != nil {
		return c, err
	}
	c = backends.Completion{Text: a.Whole(), Usage: usage}
	c.Timing = a.Timing(a.metrics.PromptEvalDuration, a.metrics.EvalDuration, a.counted())
	c.Finish, c.Cause = a.finish()
	return c, nil
}
