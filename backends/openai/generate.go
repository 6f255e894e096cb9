package openai

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"proctor/backends"
	"proctor/backends/inflight"
	"proctor/backends/servers"
)

// outcome is an item's completion.
type outcome struct {
	backends.Completion
	refused bool           // no server was asked
	failed  *servers.Error // why no server answered; nil where one did
}

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return ErrClosed
	}
	stop := m.pool.Start(ctx)
	defer func() {
		stop()
		m.transport.CloseIdleConnections()
	}()
	watch := m.watch()
	take := func(r backends.Request) (func(context.Context) (outcome, error), error) {
		taken := &request{Request: r, pulled: time.Now()}
		return func(ctx context.Context) (outcome, error) { return m.complete(ctx, taken) }, nil
	}
	return inflight.Run(ctx, requests, m.pool.Room(), take, func(o outcome) error {
		if err := done(o.Completion); err != nil || o.refused {
			return err
		}
		return watch.See(o.failed != nil && o.failed.Cause == backends.CauseTruncated, o.failed)
	})
}

// complete asks until there is a completion, also one that says why there is no text. The error says why ctx ended.
func (m *Model) complete(ctx context.Context, r *request) (o outcome, err error) {
	if refused := m.accept(r); refused != nil {
		return outcome{Completion: *refused, refused: true}, nil
	}
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

// accept counts a request's prompt; the completion of one that makes no sense, or does not fit, is whole already.
func (m *Model) accept(r *request) *backends.Completion {
	if r.Prompt != "" {
		r.ids = m.tokens(r.Prompt)
	}
	refuse := func(cause backends.Cause, format string, a ...any) *backends.Completion {
		return &backends.Completion{
			ID: r.ID, Finish: backends.FinishError, Cause: cause, Error: fmt.Sprintf(format, a...),
			Usage: backends.Usage{PromptTokens: len(r.ids)},
		}
	}
	switch need := len(r.ids) + r.MaxTokens; {
	case r.MaxTokens <= 0:
		return refuse(backends.CauseEngine, "a cap of %d tokens leaves nothing to generate", r.MaxTokens)
	case r.Prompt == "" && len(r.Messages) == 0:
		return refuse(backends.CauseEngine, "the prompt is empty")
	case m.context > 0 && need > m.context:
		return refuse(backends.CauseTruncated, "the prompt has %d tokens and may get %d more, the server's context holds %d",
			len(r.ids), r.MaxTokens, m.context)
	}
	return nil
}

// tokens are those of a text; nil where nobody counts them.
func (m *Model) tokens(text string) []int32 {
	ids, err := m.Tokenize(text)
	if err != nil {
		return nil
	}
	return ids
}

// try asks a server once, and checks that it read the whole prompt.
func (m *Model) try(ctx context.Context, s *server, r *request) (c backends.Completion, err error) {
	if r.Messages != nil && r.Prompt == "" {
		text, err := m.write(ctx, s, r.Messages, r.Think)
		if err != nil && !errors.Is(err, errUnwritten) {
			return c, err
		}
		if r.Prompt = text; text != "" {
			if refused := m.accept(r); refused != nil {
				return *refused, nil
			}
		}
	}
	a, err := m.ask(ctx, s, r)
	if err != nil {
		return c, err
	}
	c = a.completion()
	if err := m.checkTruncation(s, a, c.Usage); err != nil {
		return backends.Completion{}, err
	}
	return c, nil
}

// ask asks a server once, and again without what it refuses. The error is a *servers.Error, or why ctx ended.
func (m *Model) ask(ctx context.Context, s *server, r *request) (*answer, error) {
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
func (m *Model) exchange(ctx context.Context, s *server, r *request) (*answer, error) {
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
