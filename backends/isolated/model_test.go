//go:build unix

package isolated

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/llamacpp"
)

func TestContract(t *testing.T) {
	t.Parallel()
	path := write(t)
	for name, slots := range map[string]int{"one slot": 1, "three slots": 3} {
		t.Run(name, func(t *testing.T) {
			o := options(path)
			o.Slots, o.Context = slots, 512
			m := open(t, o)
			plan(t, m, backends.Workload{})
			backendtest.Run(t, m)
		})
	}
}

// answerer has the methods that a run calls on a model, in this process or in one of its own.
type answerer interface {
	backends.Model
	backends.Tokenizer
	backends.Planner
	backends.Scorer
	backends.Templated
	backends.Recommender
	backends.Forecaster
	backends.LoadReporter
	backends.Budgeter
	backends.Engine
}

// TestNothingIsOtherThanInThisProcess compares everything that a model returns with a model in this process.
func TestNothingIsOtherThanInThisProcess(t *testing.T) {
	t.Parallel()
	o := options(write(t))
	o.Slots, o.MemoryLimit = 3, 1<<30
	apart := open(t, o)
	here, err := llamacpp.Open(t.Context(), o)
	assert.NilError(t, err)
	defer here.Close()
	requests := questions(6)
	requests[1].Logprobs = 5
	requests[2].Sampling = backends.Sampling{Temperature: 1, TopP: 0.9, Seed: 5}
	requests[3].Forced = &backends.Forced{Tokens: []int32{5, 6, 7}, Ask: [][]int32{{8}, nil, {9, 10}}}
	requests[3].Logprobs = 3
	requests[4].Stop = []string{"e"}
	requests[5].IgnoreEOS = true
	results := func(m answerer) []any {
		work := backends.Workload{Requests: len(requests), PromptTokens: 100, MaxTokens: 28}
		tokens, err := m.Tokenize("Question 漢:")
		piece, at := m.Piece(40), int32(0)
		if id, found := m.TokenOf(piece); found {
			at = id
		}
		forecast, failed := m.Forecast(t.Context(), work)
		assert.Check(t, forecast.Rough && forecast.Prefill > 0 && forecast.Decode > 0, "nothing is measured: %+v", forecast)
		forecast.Duration, forecast.Prefill, forecast.Decode, forecast.Source = 0, 0, 0, "" // measured anew each time
		allocation := plan(t, m, work)
		for _, a := range []*backends.Allocation{&forecast.Allocation, &allocation} { // what processes hold is each one's own
			own, held, _ := strings.Cut(a.Description, "; ")
			_, both := m.(*Model)
			assert.Check(t, runtime.GOOS != "linux" ||
				a.Beside > 0 && both == strings.HasSuffix(held, " with all that its two processes hold"), "%+v", a)
			a.Description = own
			a.Beside = 0
		}
		info, broken := m.Info(t.Context())
		info.Engine.Multiplying = "" // measured by each process, too
		return []any{tokens, err, piece, at, m.ChatTemplate(), m.Recommended(), m.VocabularySHA256(), forecast, failed, allocation,
			info, broken, answers(t, m, requests, nil)}
	}
	got, want := results(apart), results(here)
	for i := range want {
		// Floats are written so that all their bits show; an empty list is none.
		apart, here := fmt.Sprintf("%+v", got[i]), fmt.Sprintf("%+v", want[i])
		assert.Check(t, apart == here, "%d: apart %s, here %s", i, apart, here)
	}
}

func TestAnErrorStaysAnError(t *testing.T) {
	t.Parallel()
	o := options(t.TempDir() + "/none.gguf")
	_, err := Open(t.Context(), o)
	_, want := llamacpp.Open(t.Context(), o)
	assert.Check(t, err != nil && err.Error() == want.Error(), "%v, want %v", err, want)
	m := open(t, options(write(t)))
	m.Close()
	_, err = m.Tokenize("x")
	assert.Check(t, errors.Is(err, backends.ErrClosed), "closed: %v", err)
}

// TestTheTerminalsSignalsReachTheParentAlone sends an engine the signals that Ctrl-C sends to a whole group, and expects it to keep working.
func TestTheTerminalsSignalsReachTheParentAlone(t *testing.T) {
	t.Parallel()
	m := open(t, options(write(t)))
	pid := m.process.PID
	group, err := syscall.Getpgid(pid)
	assert.Check(t, err == nil && group != syscall.Getpgrp(),
		"the engine is of the group %d, as this process, or of none: %v", group, err)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		assert.NilError(t, syscall.Kill(pid, signal))
	}
	answers(t, m, questions(3), nil)
	assert.Check(t, m.deaths <= 0, "the engine died of a signal that is the parent's")
}

// TestAnEngineThatStopsIsNotWaitedForWhenTheRunEnds cancels what will never answer.
func TestAnEngineThatStopsIsNotWaitedForWhenTheRunEnds(t *testing.T) {
	t.Parallel()
	o := options(write(t))
	m := open(t, o)
	plan(t, m, backends.Workload{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	var once sync.Once
	err := m.Generate(ctx, slices.Values(questions(50)), func(backends.Completion) error {
		once.Do(func() {
			pid := m.process.PID
			assert.Check(t, syscall.Kill(pid, syscall.SIGSTOP))
			// A thread that is not stopped yet could heed the end, and the stopped process be asked on.
			_, err := syscall.Wait4(pid, nil, syscall.WUNTRACED, nil)
			assert.Check(t, err)
			cancel()
		})
		return nil
	})
	assert.Check(t, errors.Is(err, context.Canceled) && time.Since(began) <= time.Minute, "%v after %v", err, time.Since(began))
	answers(t, m, questions(2), nil)
}

// A process that replaces a dead one computes on as many threads, and leaves cores to other programs if the dead one did.
func TestTheNextProcessYieldsAsTheLastOneDid(t *testing.T) {
	t.Parallel()
	for given, yields := range map[int]bool{0: true, 3: false} {
		m := Model{options: llamacpp.Options{Settings: backends.Settings{Threads: given}}, work: &backends.Workload{},
			engine: backends.EngineInfo{Threads: 3}}
		for range 2 {
			m.bury()
			o := m.options
			assert.Check(t, o.Threads == 3 && o.Yields == yields, "%d threads given: %d now, yields %t", given, o.Threads, o.Yields)
		}
	}
}
