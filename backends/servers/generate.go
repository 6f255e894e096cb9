package servers

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
)

// A Model is one that servers hold, whatever protocol they speak.
type Model interface {
	backends.Model
	backends.Planner
	backends.Forecaster
	backends.Tokenizer
	backends.Converser
	backends.Efforter
	backends.Forgetter
	backends.Slotted
}

// Request is an item on its way.
type Request struct {
	backends.Request
	IDs    []int32   // tokens of the prompt; nil where nobody counts them
	Pulled time.Time // when it was taken

	share atomic.Pointer[Share] // of its last answer; nil until a piece came
}

// Protocol is how a backend asks a server. The errors of Write and Ask are an [*Error], or why ctx ended.
type Protocol[S Server] struct {
	Context int             // tokens that a prompt and its answer may have together; 0: nobody knows
	Setting setting.Setting // that asks for another context; "": the server alone decides
	// Count splits a prompt into tokens; nil where nobody can.
	Count func(prompt string) ([]int32, error)
	// Write has a server write a conversation down; it is empty where the server does not show that.
	Write func(ctx context.Context, s S, r *Request) (string, error)
	// Ask asks a server once, and checks that it read the whole prompt.
	Ask func(ctx context.Context, s S, r *Request) (backends.Completion, error)
	// Truncations are a setting's fault, not an item's.
	Truncations Truncations
}

// outcome is an item's completion.
type outcome struct {
	backends.Completion
	failed *Error // why no server answered; nil where one did, or no request was needed
	err    error  // why there is no completion
}

// Generate does what [backends.Model] promises of it: requests are pulled in order and not before there is room for one more, and
// their completions are handed over as they come, in the goroutine that called.
func (p *Pool[S]) Generate(
	ctx context.Context, requests iter.Seq[backends.Request], by Protocol[S], done func(backends.Completion) error,
) error {
	stop := p.Start(ctx)
	defer stop()
	sending, cancel := context.WithCancel(ctx)
	var flying sync.WaitGroup
	defer flying.Wait()
	defer cancel()
	next, end := iter.Pull(requests)
	defer end()
	results := make(chan outcome, len(p.Servers)*MostInFlight)
	for inFlight, more := 0, true; ; {
		for more && inFlight < p.Room() && ctx.Err() == nil {
			var r backends.Request
			if r, more = next(); !more {
				p.noMore()
				break
			}
			taken := &Request{Request: r, Pulled: time.Now()}
			inFlight++
			flying.Go(func() { results <- p.answer(sending, taken, &by) })
		}
		if inFlight == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
		case o := <-results:
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
			if err := by.Truncations.See(o.failed); err != nil {
				return err
			}
		}
	}
}

// answer asks until there is a completion, also one that says why there is no text.
func (p *Pool[S]) answer(ctx context.Context, r *Request, by *Protocol[S]) (o outcome) {
	if refused, err := p.accept(r, by); refused != nil || err != nil {
		return outcome{Completion: *cmp.Or(refused, &o.Completion), err: err}
	}
	o.Completion, o.failed, o.err = p.Complete(ctx, r, func(ctx context.Context, s S) (c backends.Completion, err error) {
		if r.Prompt == "" {
			if r.Prompt, err = by.Write(ctx, s, r); err != nil {
				return c, err
			}
			if refused, err := p.accept(r, by); refused != nil || err != nil {
				return *cmp.Or(refused, &c), err
			}
		}
		return by.Ask(ctx, s, r)
	})
	if o.failed != nil {
		o.Usage.PromptTokens = len(r.IDs)
	}
	if r.Messages != nil {
		o.Prompt = r.Prompt
	}
	return o
}

// accept counts a request's prompt; the completion of one that makes no sense, or does not fit, is whole already.
func (p *Pool[S]) accept(r *Request, by *Protocol[S]) (refused *backends.Completion, err error) {
	if r.Prompt != "" {
		if r.IDs, err = by.Count(r.Prompt); err != nil {
			return nil, err
		}
	}
	refuse := func(cause backends.Cause, format string, a ...any) (*backends.Completion, error) {
		return &backends.Completion{
			ID: r.ID, Finish: backends.FinishError, Cause: cause, Error: p.options.Prefix + fmt.Sprintf(format, a...),
			Usage: backends.Usage{PromptTokens: len(r.IDs)},
		}, nil
	}
	switch need := len(r.IDs) + r.MaxTokens; {
	case r.MaxTokens <= 0:
		return refuse(backends.CauseEngine, "a cap of %d tokens leaves nothing to generate", r.MaxTokens)
	case r.Prompt == "" && len(r.Messages) == 0:
		return refuse(backends.CauseEngine, "the prompt is empty")
	case by.Context > 0 && need > by.Context:
		needed := fmt.Sprintf("%d are needed", need)
		if by.Setting != "" {
			needed = fmt.Sprintf("%s %d is needed", by.Setting, need)
		}
		wanted := fmt.Sprintf("the prompt has %d tokens and may get %d more", len(r.IDs), r.MaxTokens)
		if r.IDs == nil {
			wanted = fmt.Sprintf("the answer may get %d tokens", r.MaxTokens)
		}
		return refuse(backends.CauseTruncated, "%s, %s holds %d: %s", wanted, by.Truncations.What, by.Context, needed)
	}
	return nil, nil
}
