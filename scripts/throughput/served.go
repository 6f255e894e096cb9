package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/ollama/ollamatest"
)

const served = "exam" // the model's name on the server

// served answers with an Ollama of its own that has so many requests in flight.
func (e *exam) served(threads int, o ollamatest.Options) func(context.Context) (sitting, error) {
	return func(ctx context.Context) (s sitting, err error) {
		home, err := os.MkdirTemp("", "throughput")
		if err != nil {
			return s, err
		}
		defer os.RemoveAll(home)
		began := time.Now()
		server, err := ollamatest.Start(ctx, home, o)
		if err != nil {
			return s, err
		}
		defer func() { err = errors.Join(err, server.Kill()) }()
		if err := server.Create(ctx, served, e.model, ""); err != nil {
			return s, err
		}
		client := api.NewClient(server.URL(), &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.Parallel}})
		if _, err := e.ask(ctx, client, threads, warmUp()); err != nil {
			return s, err
		}
		s.ready = time.Since(began)

		answers := make([]api.GenerateResponse, len(e.requests))
		began = time.Now()
		if err := inFlight(ctx, o.Parallel, len(answers), func(ctx context.Context, i int) (err error) {
			answers[i], err = e.ask(ctx, client, threads, e.requests[i])
			return err
		}); err != nil {
			return s, err
		}
		s.wall = time.Since(began)
		for i, a := range answers {
			if a.PromptEvalCount > 0 && a.PromptEvalCount != e.prompts[i] {
				return s, fmt.Errorf("%s: Ollama counts %d prompt tokens, not %d", e.requests[i].ID, a.PromptEvalCount, e.prompts[i])
			}
			s.answers++
			s.prompt += a.PromptEvalCount
			s.output += a.EvalCount
			if a.EvalCount != e.requests[i].MaxTokens {
				s.early++
			}
			if o.Parallel == 1 { // else each answer's time is partly that of others
				s.decode += a.EvalDuration
			}
		}
		return s, nil
	}
}

// ask sends one request, with every option that could be anything else by default.
func (e *exam) ask(ctx context.Context, client *api.Client, threads int, r backends.Request) (api.GenerateResponse, error) {
	var answer api.GenerateResponse
	whole, cut := false, false
	request := &api.GenerateRequest{
		Model: served, Prompt: r.Prompt, Raw: true, Stream: &whole, Truncate: &cut, KeepAlive: &api.Duration{Duration: time.Hour},
		Options: map[string]any{
			"num_ctx": e.plan.PromptTokens + e.plan.MaxTokens, "num_predict": r.MaxTokens, "num_thread": threads,
			"temperature": r.Sampling.Temperature, "top_k": r.Sampling.TopK, "top_p": r.Sampling.TopP, "min_p": r.Sampling.MinP,
			"seed": r.Sampling.Seed, "repeat_penalty": 1, "stop": []string{},
		},
	}
	err := client.Generate(ctx, request, func(a api.GenerateResponse) error {
		answer = a
		return nil
	})
	if err != nil {
		return answer, fmt.Errorf("%s: %w", r.ID, err)
	}
	return answer, nil
}

// inFlight calls ask for the numbers below total, so many at a time, until one fails.
func inFlight(ctx context.Context, atATime, total int, ask func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var taken atomic.Int64
	var workers sync.WaitGroup
	for range atATime {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(taken.Add(1)) - 1
				if i >= total {
					return
				}
				if err := ask(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}
