package ollama

import (
	"context"
	"fmt"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/ollama/client"
	"proctor/backends/servers"
)

// unloadTime is how long a server may take to let the model go, and unloadPause how long to wait before asking again whether
// it has.
const (
	unloadTime  = time.Minute
	unloadPause = 20 * time.Millisecond
)

// Forget implements [backends.Forgetter]: every server lets the model go, with all that it holds of earlier prompts, and
// loads it again.
func (m *Model) Forget(ctx context.Context) error {
	if m.closed {
		return backends.ErrClosed
	}
	m.fixContext()
	for _, s := range m.pool.Up() {
		if err := m.unload(ctx, s); err != nil {
			return fmt.Errorf("ollama: %s cannot unload %s: %w", s.Name(), m.options.Name, err)
		}
		if _, err := m.prepare(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// unload has a server let the model go, and waits until it has.
func (m *Model) unload(ctx context.Context, s *server) error {
	ctx, cancel := context.WithTimeoutCause(ctx, unloadTime, servers.ErrSilent)
	defer cancel()
	request := &api.GenerateRequest{Model: m.options.Name, KeepAlive: &api.Duration{}}
	if err := s.Generate(ctx, request, func(api.GenerateResponse) error { return nil }); err != nil {
		return client.Plain(ctx, err)
	}
	s.sharedWith(nil)
	for {
		if err := m.readLoaded(ctx, s); err != nil {
			return client.Plain(ctx, err)
		}
		if s.now.Get().context == 0 {
			return nil
		}
		if err := servers.Wait(ctx, nil, unloadPause); err != nil {
			return err
		}
	}
}
