package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// inProcess answers with proctor's own engine; with 0 slots it chooses its settings itself.
func (e *exam) inProcess(threads, slots int, kernels string) func(context.Context) (sitting, error) {
	return func(ctx context.Context) (sitting, error) {
		options := llamacpp.Options{Path: e.model, Threads: threads, Slots: slots, Tune: slots == 0, Kernels: kernels}
		return e.sitAlone(ctx, options, e.plan, func(m *llamacpp.Model, done func(backends.Completion) error) error {
			return m.Generate(ctx, slices.Values(e.requests), done)
		})
	}
}

const loopStep = 4 // of the questions that a plain loop answers

// plainLoop answers one question after the other, each from an empty cache, as the first program that one writes on
// llama.cpp does. By itself llama.cpp turns flash attention on, also where it is slower. No question gains from those
// before it, so every fourth tells as much as all of them.
func (e *exam) plainLoop(threads int, flash bool, kernels string) func(context.Context) (sitting, error) {
	return func(ctx context.Context) (sitting, error) {
		options := llamacpp.Options{Path: e.model, Threads: threads, Like: &backends.EngineInfo{Slots: 1, FlashAttention: flash, Kernels: kernels}}
		one := backends.Workload{Requests: 1, PromptTokens: e.plan.PromptTokens, MaxTokens: e.plan.MaxTokens}
		s, err := e.sitAlone(ctx, options, one, func(m *llamacpp.Model, done func(backends.Completion) error) error {
			for i := 0; i < len(e.requests); i += loopStep {
				r := e.requests[i]
				if err := m.Generate(ctx, slices.Values([]backends.Request{r}), done); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil && s.reused > 0 {
			err = fmt.Errorf("%d prompt tokens were reused: this is no plain loop", s.reused)
		}
		return s, err
	}
}

// sitAlone opens the model, has it answer a short prompt, and times generate.
func (e *exam) sitAlone(ctx context.Context, o llamacpp.Options, w backends.Workload, generate func(*llamacpp.Model, func(backends.Completion) error) error) (sitting, error) {
	var s sitting
	began := time.Now()
	model, err := llamacpp.Open(ctx, o)
	if err != nil {
		return s, err
	}
	defer model.Close()
	if _, err := model.Plan(ctx, w); err != nil {
		return s, err
	}
	if err := model.Generate(ctx, slices.Values([]backends.Request{warmUp()}), succeeded); err != nil {
		return s, err
	}
	s.ready = time.Since(began)

	began = time.Now()
	if err := generate(model, func(c backends.Completion) error {
		s.answers++
		s.prompt += c.Usage.PromptTokens
		s.reused += c.Usage.ReusedTokens
		s.output += c.Usage.OutputTokens
		s.prefill += c.Timing.Prefill
		s.decode += c.Timing.Decode
		if c.Finish != backends.FinishLength {
			s.early++
		}
		return succeeded(c)
	}); err != nil {
		return s, err
	}
	s.wall = time.Since(began)

	info, err := model.Info(ctx)
	if err != nil {
		return s, err
	}
	s.settings = fmt.Sprintf("slots %d, microbatch %d", info.Engine.Slots, info.Engine.Microbatch)
	return s, nil
}

// succeeded makes a failed completion an error.
func succeeded(c backends.Completion) error {
	if c.Finish == backends.FinishError {
		return errors.New(c.Error)
	}
	return nil
}
