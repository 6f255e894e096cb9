package servers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"proctor/backends"
)

// The probe finds how many requests at a time a server answers fastest. It asks for short answers to prompts with a common beginning,
// as an eval's are. It begins with one at a time, doubles that at each step, and continues as long as that pays.
const (
	probeGain   = 1.1 // a step pays if the server writes so much faster
	probeTokens = 32  // of an answer
	probeRounds = 2   // answers in a row, of each request in flight
)

// Tune sets the limit of concurrent requests of each of the servers that answer, unless it reported its own, to the fastest number up to
// most and requests, the number that will be sent. [Rate] explains room and ask, which asks a server.
func (p *Pool[S]) Tune(ctx context.Context, most, requests, room int, told func(S) bool,
	ask func(context.Context, S, backends.Request) (tokens int, err error)) error {
	if requests > 0 {
		most = min(most, requests)
	}
	for _, s := range slices.DeleteFunc(p.Up(), told) {
		limit, err := Fastest(most, func(n int) (float64, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, p.options.Deadline, ErrLate)
			defer cancel()
			return Rate(ctx, n, room, func(ctx context.Context, r backends.Request) (int, error) { return ask(ctx, s, r) })
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.log(slog.LevelWarn, "the probe of %s failed, it gets %d at a time: %s", s.Name(), limit, OneLine(err))
		}
		p.SetLimit(s, limit)
	}
	return nil
}

// Fastest is the number up to most at which doubling it did not pay any more.
func Fastest(most int, rate func(n int) (float64, error)) (at int, err error) {
	best := 0.0
	at = 1
	for n := 1; n <= most; n *= 2 {
		now, err := rate(n)
		if err != nil {
			return at, err
		}
		if now < best*probeGain {
			break
		}
		best, at = now, n
	}
	return at, nil
}

// Rate returns how many tokens a second a server writes with n requests in flight. room is how many tokens prompt and answer may
// have together; ask returns how many an answer had.
func Rate(ctx context.Context, n, room int, ask func(context.Context, backends.Request) (tokens int, err error)) (float64, error) {
	const sentence = "Which of these is true, and why? Let's think step by step, and tell all that speaks for it. "
	begin := strings.Repeat(sentence, probeLength(room))
	written, failed := make([]int, n), make([]error, n)
	var requests sync.WaitGroup
	began := time.Now()
	for i := range n {
		requests.Go(func() {
			for round := range probeRounds {
				tokens, err := ask(ctx, backends.Request{
					Prompt: fmt.Sprintf("%sQuestion %d: ", begin, 1+i+n*round), MaxTokens: max(1, min(probeTokens, room/4)),
					Sampling: backends.Sampling{Temperature: 1, Seed: uint32(i)},
				})
				if err != nil {
					failed[i] = err
					return
				}
				written[i] += max(1, tokens)
			}
		})
	}
	requests.Wait()
	tokens := 0
	for _, n := range written {
		tokens += n
	}
	return float64(tokens) / time.Since(began).Seconds(), errors.Join(failed...)
}

// probeLength is how often a probe's prompt says its sentence: it fills an eighth of the context, up to some hundred tokens.
func probeLength(room int) int {
	const sentence = 40 // tokens, in most vocabularies fewer
	return max(1, min(8, room/8/sentence))
}
