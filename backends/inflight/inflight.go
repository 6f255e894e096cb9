// Package inflight keeps as many requests in flight as who answers them has room for.
//
// It is what [backends.Model.Generate] promises, for backends that ask others and wait: requests are pulled in order and not
// before there is room, and their completions are handed over as they come, in the goroutine that called. Neighbours: the
// backends that ask servers.
package inflight

import (
	"context"
	"iter"
	"sync"

	"proctor/backends"
)

// Run answers the requests, at most room of them at a time.
//
// It calls take with each request, in the calling goroutine. The function that take returns answers the request: it runs in a
// goroutine of its own, with a context that ends when Run does. Run calls done with each answer, in the calling goroutine. It
// returns the first error of any of them, or of ctx, unchanged, after all requests in flight have ended.
func Run[T any](
	ctx context.Context, requests iter.Seq[backends.Request], room int,
	take func(backends.Request) (func(context.Context) (T, error), error), done func(T) error,
) error {
	asking, cancel := context.WithCancel(ctx)
	var flying sync.WaitGroup
	defer func() {
		cancel()
		flying.Wait()
	}()
	next, end := iter.Pull(requests)
	defer end()
	type result struct {
		of  T
		err error
	}
	results := make(chan result, room)
	for inFlight, more := 0, true; more || inFlight > 0; {
		for more && inFlight < room {
			if err := ctx.Err(); err != nil {
				return err
			}
			var r backends.Request
			if r, more = next(); !more {
				break
			}
			answer, err := take(r)
			if err != nil {
				return err
			}
			inFlight++
			flying.Go(func() {
				of, err := answer(asking)
				results <- result{of, err}
			})
		}
		if inFlight == 0 {
			break
		}
		select {
		case r := <-results:
			inFlight--
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if r.err != nil {
				return r.err
			}
			if err := done(r.of); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
