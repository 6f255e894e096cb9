package ollama

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"proctor/backends"
	"proctor/backends/ollama/client"
)

// The probe that finds how many requests at a time a server answers fastest. It asks for short answers to prompts
// with a common beginning, as an eval's are, first one at a time, then twice as many at each step, and goes on as long
// as that pays.
const (
	probeMost   = 8
	probeGain   = 1.1 // a step pays if the server writes so much faster
	probeTokens = 32  // of an answer
	probeRounds = 2   // answers in a row, of each request in flight
)

// tune sets the server's limit.
func (m *Model) tune(ctx context.Context, s *server, w backends.Workload) error {
	most := probeMost
	if w.Requests > 0 {
		most = min(most, w.Requests)
	}
	limit, err := fastest(most, func(n int) (float64, error) { return m.probe(ctx, s, n) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		m.warn("ollama: the probe of %s failed, it gets %d at a time: %s", s.Name(), limit, client.OneLine(err))
	}
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	s.limit = limit
	return nil
}

// fastest is the number up to most at which doubling it did not pay any more.
func fastest(most int, rate func(n int) (float64, error)) (at int, err error) {
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

// probe returns how many tokens a second the server writes with n requests in flight.
func (m *Model) probe(ctx context.Context, s *server, n int) (rate float64, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.options.Deadline, client.ErrLate)
	defer cancel()
	begin := strings.Repeat("Which of these is true, and why? Let's think step by step, and tell all that speaks for it. ", m.probeLength())
	written, failed := make([]int, n), make([]error, n)
	var asking sync.WaitGroup
	began := time.Now()
	for i := range n {
		asking.Go(func() {
			for round := range probeRounds {
				a, err := m.ask(ctx, s, &request{pulled: time.Now(), Request: backends.Request{
					Prompt: fmt.Sprintf("%sQuestion %d: ", begin, 1+i+n*round), MaxTokens: max(1, min(probeTokens, m.context/4)),
					Sampling: backends.Sampling{Temperature: 1, Seed: uint32(i)},
				}})
				if err != nil {
					failed[i] = err
					return
				}
				written[i] += max(1, a.metrics.EvalCount)
			}
		})
	}
	asking.Wait()
	tokens := 0
	for _, n := range written {
		tokens += n
	}
	return float64(tokens) / time.Since(began).Seconds(), errors.Join(failed...)
}

// probeLength is how often a probe's prompt says its sentence: it fills an eighth of the context, up to some hundred tokens.
func (m *Model) probeLength() int {
	const sentence = 40 // tokens, in most vocabularies fewer
	return max(1, min(8, m.context/8/sentence))
}
