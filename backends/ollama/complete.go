package ollama

import (
	"context"

	"proctor/backends"
	"proctor/backends/servers"
)

// outcome is an item's completion.
type outcome struct {
	backends.Completion
	refused bool           // no server was asked
	failed  *servers.Error // why no server answered; nil where one did
}

// complete asks until there is a completion, also one that says why there is no text. The error says why ctx ended.
func (m *Model) complete(ctx context.Context, r *request) (o outcome, err error) {
	o.Completion, o.failed, err = m.pool.Complete(ctx, r.ID, func(ctx context.Context, s *server) (backends.Completion, error) {
		return m.try(ctx, s, r)
	})
	if o.failed != nil {
		o.Usage.PromptTokens = len(r.ids)
	}
	if r.Messages != nil {
		o.Prompt = r.Prompt
	}
	return o, err
}

// try asks a server once, and checks that it read the whole prompt.
func (m *Model) try(ctx context.Context, s *server, r *request) (c backends.Completion, err error) {
	if r.Prompt == "" { // a conversation
		text, err := m.write(ctx, s, r)
		if err != nil {
			return c, err
		}
		r.Prompt = text
		refused, err := m.accept(r)
		if err != nil {
			return c, err
		}
		if refused != nil {
			return *refused, nil
		}
	}
	a, err := m.ask(ctx, s, r)
	if err != nil {
		return c, err
	}
	usage, err := m.checkTruncation(ctx, s, a)
	if err != nil {
		return c, err
	}
	c = backends.Completion{Text: a.whole(), Usage: usage, Timing: a.timing()}
	c.Finish, c.Cause = a.finish()
	return c, nil
}
