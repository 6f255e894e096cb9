package ollama

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"proctor/backends"
)

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return ErrClosed
	}
	m.fixContext()
	asking, cancel := context.WithCancel(ctx)
	stop := m.pool.start(asking)
	var flying sync.WaitGroup
	defer func() {
		cancel()
		flying.Wait()
		stop()
		m.wire.CloseIdleConnections()
	}()
	next, end := iter.Pull(requests)
	defer end()
	type outcome struct {
		settled
		err error
	}
	room := m.pool.room()
	outcomes := make(chan outcome, room)
	watch := guardian{context: m.context}
	for inFlight, more := 0, true; more || inFlight > 0; {
		for more && inFlight < room {
			if err := ctx.Err(); err != nil {
				return err
			}
			var r backends.Request
			if r, more = next(); !more {
				break
			}
			q := &question{Request: r, pulled: time.Now()}
			refused, err := m.accept(q)
			if err != nil {
				return err
			}
			if refused != nil {
				if err := done(*refused); err != nil {
					return err
				}
				continue
			}
			inFlight++
			flying.Go(func() {
				c, err := m.complete(asking, q)
				outcomes <- outcome{c, err}
			})
		}
		if inFlight == 0 {
			break
		}
		select {
		case o := <-outcomes:
			inFlight--
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if o.err != nil {
				return o.err
			}
			if err := done(o.Completion); err != nil {
				return err
			}
			if err := watch.see(&o.settled); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// accept counts a question's prompt; the completion of one that makes no sense, or does not fit, is whole already.
func (m *Model) accept(q *question) (refused *backends.Completion, err error) {
	if q.Prompt != "" {
		if q.ids, err = m.tokenize(q.Prompt); err != nil {
			return nil, err
		}
	}
	refuse := func(cause backends.Cause, format string, a ...any) (*backends.Completion, error) {
		return &backends.Completion{
			ID: q.ID, Finish: backends.FinishError, Cause: cause, Error: "ollama: " + fmt.Sprintf(format, a...),
			Usage: backends.Usage{PromptTokens: len(q.ids)},
		}, nil
	}
	switch need := len(q.ids) + q.MaxTokens; {
	case q.MaxTokens <= 0:
		return refuse(backends.CauseEngine, "a cap of %d tokens leaves nothing to generate", q.MaxTokens)
	case q.Prompt == "" && len(q.Messages) == 0:
		return refuse(backends.CauseEngine, "the prompt is empty")
	case need > m.context:
		return refuse(backends.CauseTruncated, "the prompt has %d tokens and may get %d more, num_ctx is %d: --ctx %d is needed", len(q.ids), q.MaxTokens, m.context, need)
	}
	return nil, nil
}
