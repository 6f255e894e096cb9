//go:build unix

package isolated

import (
	"context"
	"errors"
	"iter"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// What the reference of the model says that an engine's process of these tests does. A process that hangs is otherwise
// alive: it keeps reporting its progress.
const (
	hangsLoading, hangsPlanning, hangsGenerating, hangsAnswering = "loading", "planning", "generating", "answering"

	slow   = "slow"   // everything takes longer than a process may be without a sign, but there are some
	aborts = "aborts" // an assertion of ggml fails where the prompt is deadly
)

const deadly = "deadly"

// abort has an assertion of ggml fail.
var abort func()

// openFaulty opens a model that has the fault.
func openFaulty(ctx context.Context, options llamacpp.Options) (model, error) {
	switch options.Model {
	case hangsLoading:
		select {}
	case slow:
		for range slowSteps {
			time.Sleep(slowStep)
			options.Hashed(1)
		}
	}
	m, err := llamacpp.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	return faulty{m, options.Model}, nil
}

// faultyModel is one whose process has the fault, with little patience.
func faultyModel(path, fault string) *Model {
	o := options(path)
	o.Model = fault
	return &Model{options: o, patience: little}
}

// little is the patience with what hangs.
var little = Patience{Tick: 50 * time.Millisecond, Least: 3 * time.Second, First: 6 * time.Second, Times: 4}

// Steps of what is slow, which together take longer than that.
const slowStep, slowSteps = 1700 * time.Millisecond, 4

type faulty struct {
	*llamacpp.Model
	fault string
}

func (f faulty) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	switch f.fault {
	case hangsPlanning:
		select {}
	case slow:
		for range slowSteps {
			time.Sleep(slowStep)
			if _, err := f.Model.Forecast(ctx, w); err != nil { // which computes
				return backends.Allocation{}, err
			}
		}
	}
	return f.Model.Plan(ctx, w)
}

func (f faulty) Tokenize(prompt string) ([]int32, error) {
	if f.fault == hangsAnswering {
		select {}
	}
	return f.Model.Tokenize(prompt)
}

// Generate hangs with the second completion, or dies of a request.
func (f faulty) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	switch f.fault {
	case aborts:
		return f.Model.Generate(ctx, func(yield func(backends.Request) bool) {
			for r := range requests {
				if r.Prompt == deadly {
					abort()
				}
				if !yield(r) {
					return
				}
			}
		}, done)
	case hangsGenerating:
	default:
		return f.Model.Generate(ctx, requests, done)
	}
	n := 0
	return f.Model.Generate(ctx, requests, func(c backends.Completion) error {
		if n++; n == 2 {
			select {}
		}
		return done(c)
	})
}

const hung = "the engine's process died: it hung: no sign of life for "

// TestAProcessThatHangsIsEnded has processes that are there, and do nothing.
func TestAProcessThatHangsIsEnded(t *testing.T) {
	t.Parallel()
	path := write(t)
	for fault, ask := range map[string]func(t *testing.T) error{
		hangsLoading: func(t *testing.T) error {
			_, err := faultyModel(path, hangsLoading).open(t.Context())
			return err
		},
		hangsPlanning: func(t *testing.T) error {
			_, err := ready(t, faultyModel(path, hangsPlanning)).Plan(t.Context(), backends.Workload{PromptTokens: 100})
			return err
		},
		hangsAnswering: func(t *testing.T) error {
			_, err := ready(t, faultyModel(path, hangsAnswering)).Tokenize("x")
			return err
		},
		hangsGenerating: func(t *testing.T) error { // and another process continues
			m := faultyModel(path, hangsGenerating)
			m.options.Slots = 4
			var warned []string
			m.options.Warn = func(text string) { warned = append(warned, text) }
			for id, c := range answers(t, ready(t, m), questions(4), nil) {
				assert.Check(t, c.Finish != backends.FinishError, "%s: %+v", id, c)
			}
			assert.Check(t, len(warned) == 1, "%q", warned)
			return errors.New(warned[0])
		},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			assert.ErrorContains(t, ask(t), hung)
		})
	}
}

// TestAProcessThatIsSlowIsLeftAlone has one take longer than the patience, and do something all the while.
func TestAProcessThatIsSlowIsLeftAlone(t *testing.T) {
	t.Parallel()
	m := faultyModel(write(t), slow)
	m.options.Context = 512
	ready(t, m)
	began := time.Now()
	plan(t, m, backends.Workload{Requests: 50, PromptTokens: 100, MaxTokens: 28})
	took := time.Since(began)
	assert.Check(t, took >= m.patience.First, "it planned in %s, within the patience of %s", took, m.patience.First)
	answers(t, m, questions(4), nil)
	assert.Equal(t, m.deaths, 0)
}

// TestCallsEndWithTheRun cancels what asks a process that does not answer.
func TestCallsEndWithTheRun(t *testing.T) {
	t.Parallel()
	o := options(write(t))
	ctx, cancel := context.WithCancel(t.Context())
	m, err := Open(ctx, o)
	assert.NilError(t, err)
	defer m.Close()
	pid := m.process.PID
	assert.NilError(t, syscall.Kill(pid, syscall.SIGSTOP))
	_, err = syscall.Wait4(pid, nil, syscall.WUNTRACED, nil) // until it has stopped
	assert.NilError(t, err)
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	_, err = m.Tokenize("x")
	assert.Check(t, errors.Is(err, context.Canceled) && time.Since(began) <= time.Minute, "%v after %s", err, time.Since(began))
}

func TestPatienceGrowsWithTheModelAndWithWhatItTook(t *testing.T) {
	t.Parallel()
	const small, large = 1 << 20, 40 << 30
	for _, test := range []struct {
		name    string
		bytes   int64
		at      phase
		batches int64
		slowest time.Duration
		want    time.Duration
	}{
		{"a small model's first batch", small, generating, 0, 0, 15 * time.Minute},
		{"and those after it", small, generating, 1, time.Second, 2 * time.Minute},
		{"after a slow one", small, generating, 1, time.Minute, 30 * time.Minute},
		{"its plan, whatever was computed before", small, planning, 7, 0, 15 * time.Minute},
		{"its file", small, reading, 0, 0, 15 * time.Minute},
		{"a question", small, answering, 0, 0, 2 * time.Minute},
		{"a large model's first batch", large, generating, 0, 0, 55 * time.Minute},
		{"the large ones after it", large, generating, 1, 0, 42 * time.Minute},
		{"the large file", large, reading, 0, 0, 55 * time.Minute},
	} {
		p := &process{}
		p.work.batches.Store(test.batches)
		first := p.watch(defaultPatience.with(test.bytes), generating)
		first.without = test.slowest
		first.sign()
		assert.Check(t, is.Equal(p.watch(defaultPatience.with(test.bytes), test.at).limit().Round(time.Second), test.want), "%s", test.name)
	}
}
