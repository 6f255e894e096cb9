package ollama

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// The waits between tries. The first are short, since most faults are gone at once.
const (
	firstWait = 100 * time.Millisecond
	lastWait  = 5 * time.Second
)

// again calls op until it succeeds, at most so many times, with waits between that grow. An error that is no *fault, or
// a final one, ends it at once; so does ctx, with its reason.
func again[T any](ctx context.Context, tries int, op func() (T, error)) (T, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = firstWait, lastWait
	return backoff.Retry(ctx, func() (T, error) {
		value, err := op()
		var f *fault
		if err != nil && (!errors.As(err, &f) || f.final) {
			err = backoff.Permanent(err)
		}
		return value, err
	}, backoff.WithBackOff(waits), backoff.WithMaxTries(uint(tries)), backoff.WithMaxElapsedTime(0))
}
