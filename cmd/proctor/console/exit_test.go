package console

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gotest.tools/v3/assert"
)

func TestWhatASignalEndsBeforeItBeginsIsInterrupted(t *testing.T) {
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		return ctx
	}
	loading := fmt.Errorf("loading model.gguf: %w", context.Canceled)
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want int
	}{
		"while a model loads":  {ended(ErrInterrupted), loading, ExitInterrupted},
		"a bad file meanwhile": {ended(ErrInterrupted), errors.New("no such file"), ExitUsage},
		"by something else":    {ended(errors.New("else")), loading, ExitUsage},
		"nothing ended it":     {context.Background(), nil, ExitOK},
	} {
		got := ExitCode(Interruption(c.ctx, c.err))
		assert.Check(t, got == c.want, "%s: exit code %d, want %d", name, got, c.want)
	}
}
