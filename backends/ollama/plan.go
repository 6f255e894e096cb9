package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// unmeasured is num_ctx where nobody counted the prompts.
const unmeasured = 8192

// Plan implements [backends.Planner]. It fixes num_ctx, has the servers load the model with it, and checks that they
// did.
func (m *Model) Plan(ctx context.Context, w backends.Workload) (backends.Allocation, error) {
	if m.closed {
		return backends.Allocation{}, backends.ErrClosed
	}
	if m.options.Context == 0 && w.PromptTokens == 0 && w.Longest != "" {
		var err error
		if w.PromptTokens, err = m.measure(ctx, w.Longest); err != nil {
			return backends.Allocation{}, err
		}
	}
	if err := m.planContext(w); err != nil {
		return backends.Allocation{}, err
	}
	m.notes = nil
	allocation := backends.Allocation{Context: m.room(), Weights: m.facts.info.SizeBytes}
	err := m.pool.Ready(func(s *server) error {
		size, err := m.prepare(ctx, s)
		allocation.KV = max(allocation.KV, size-allocation.Weights)
		return err
	})
	if err != nil {
		return backends.Allocation{}, err
	}
	m.planned = true
	m.spread()
	allocation.Slots, allocation.Unfit = m.pool.Slots(), servers.MostCut
	allocation.Description = m.description(allocation)
	return allocation, nil
}

// description describes the plan in a line for people.
func (m *Model) description(a backends.Allocation) string {
	line := fmt.Sprintf("%s, num_ctx %d", m.pool.InFlight(), a.Context)
	if a.KV > 0 { // else the server did not say what the model takes
		size := func(bytes int64) string { return humanize.IBytes(uint64(bytes)) }
		line += fmt.Sprintf(": weights %s + cache and scratch %s = %s at the server", size(a.Weights), size(a.KV), size(a.Total()))
	}
	return line
}

// fixContext chooses num_ctx where no plan did.
func (m *Model) fixContext() { m.context = m.room() }

// room is how many tokens prompt and answer may have together.
func (m *Model) room() int {
	if m.context > 0 {
		return m.context
	}
	if m.options.Context > 0 {
		return m.options.Context
	}
	if trained := m.facts.info.ContextLength; trained > 0 {
		return min(unmeasured, trained)
	}
	return unmeasured
}

// measure has a server read a prompt that nobody here can count, and returns its number of tokens. The context has
// room for a token a byte.
func (m *Model) measure(ctx context.Context, prompt string) (tokens int, err error) {
	trained := cmp.Or(m.facts.info.ContextLength, math.MaxInt)
	m.context = min(len(prompt)+1, trained)
	r := &servers.Request{Request: backends.Request{Prompt: prompt, MaxTokens: 1}}
	err = m.pool.Prepare(ctx, nil, func(ctx context.Context, s *server) error {
		a, err := m.ask(ctx, s, r)
		if err == nil {
			tokens = a.metrics.PromptEvalCount
		}
		return err
	})
	if e := (*servers.Error)(nil); errors.As(err, &e) && e.Cause == backends.CauseTruncated {
		if trained == math.MaxInt {
			return 0, fmt.Errorf("ollama: the longest prompt does not fit, and the server does not say how much would: "+
				"give %s: %w", setting.Context, err)
		}
		return trained, nil // or more
	}
	if err != nil {
		return 0, fmt.Errorf("ollama: the longest prompt cannot be counted: %w", err)
	}
	return tokens, nil
}

func (m *Model) planContext(w backends.Workload) error {
	m.context = m.options.Context
	trained := m.facts.info.ContextLength
	need := w.PromptTokens + w.MaxTokens
	switch {
	case m.context > 0 && w.PromptTokens > 0 && need > m.context:
		return fmt.Errorf("ollama: a context of %d tokens is too small: the longest prompt has %d and may get %d more; "+
			"%s %d is needed", m.context, w.PromptTokens, w.MaxTokens, setting.Context, need)
	case m.context > 0 && trained > 0 && m.context > trained:
		return fmt.Errorf("ollama: a context of %d tokens: the model was trained for %d, and Ollama gives no more", m.context, trained)
	case m.context > 0:
		return nil
	case w.PromptTokens > 0:
		m.context = need
	default:
		m.context = m.room()
		m.options.Warn("ollama: the prompts could not be counted: num_ctx is %d; %s chooses another", m.context,
			setting.Context)
	}
	if trained > 0 && m.context > trained {
		m.context = trained
		m.options.Warn("ollama: the longest prompt has %d tokens and may get %d more, the model was trained for %d: "+
			"prompts that do not fit will fail", w.PromptTokens, w.MaxTokens, trained)
	}
	return nil
}

// prepare has a server load the model, and returns the bytes that it takes there.
func (m *Model) prepare(ctx context.Context, s *server) (size int64, err error) {
	if err := m.pool.Prepare(ctx, s, m.loadModel); err != nil {
		return 0, fmt.Errorf("ollama: %s cannot load %s: %w", s.Name(), m.options.Name, err)
	}
	now := s.now.Get()
	if room := now.context; room > 0 && room < m.context {
		return 0, fmt.Errorf("ollama: %s gives a request %d tokens instead of the num_ctx of %d, and would cut longer prompts: "+
			"see its OLLAMA_CONTEXT_LENGTH and what stands between, or lower %s or %s", s.Name(), room, m.context, setting.Context,
			setting.MaxTokens)
	}
	return now.size, nil
}

// loadModel has a server load the model, and reads the result.
func (m *Model) loadModel(ctx context.Context, s *server) error {
	loaded := false
	load := &api.GenerateRequest{Model: m.options.Name, KeepAlive: &keep, Options: m.loading()}
	err := exchange(ctx, &servers.Monitor{}, &loaded, func(ctx context.Context) error {
		return s.Generate(ctx, load, func(r api.GenerateResponse) error {
			loaded = r.Done
			return nil
		})
	})
	if err != nil {
		return err
	}
	if err := m.readLoaded(ctx, s); err != nil {
		return classify(err, nil)
	}
	return nil
}

// readLoaded asks a server what it gave the loaded model.
func (m *Model) readLoaded(ctx context.Context, s *server) error {
	ctx, cancel := context.WithTimeoutCause(ctx, checkTime, servers.ErrSilent)
	defer cancel()
	running, err := s.ListRunning(ctx)
	if err != nil {
		return err
	}
	want := model.ParseName(m.options.Name)
	s.now.Change(func(c *condition) {
		c.context = 0
		for _, r := range running.Models {
			if model.ParseName(r.Model).EqualFold(want) {
				c.context, c.size, c.onGPU = r.ContextLength, r.Size, r.SizeVRAM
			}
		}
	})
	return nil
}

// spread notes where a part of the model does not fit the GPU.
func (m *Model) spread() {
	for _, s := range m.pool.Servers {
		if now := s.now.Get(); now.onGPU > 0 && now.onGPU < now.size {
			m.notes = append(m.notes, fmt.Sprintf("Only %d %% of the model is on the GPU of %s, the CPU computes the rest: "+
				"its speed is not the GPU's.", 100*now.onGPU/now.size, s.Name()))
		}
	}
	for _, note := range m.notes {
		m.options.Warn("ollama: %s", note)
	}
}

// Forecast implements [backends.Forecaster]. It sends the servers nothing.
func (m *Model) Forecast(_ context.Context, w backends.Workload) (backends.Forecast, error) {
	if m.closed {
		return backends.Forecast{}, backends.ErrClosed
	}
	if w.PromptTokens > 0 || w.Longest == "" || m.options.Context > 0 {
		if err := m.planContext(w); err != nil {
			return backends.Forecast{}, err
		}
	}
	f := backends.Forecast{Source: "a server's speed is unknown before the first request"}
	f.Context, f.Weights = m.room(), m.facts.info.SizeBytes
	f.Slots = m.pool.Slots()
	f.Description = fmt.Sprintf("num_ctx %d; the server sets memory aside when it loads the model", f.Context)
	if w.PromptTokens == 0 && w.Longest != "" && m.options.Context == 0 {
		f.Description = "the server counts the longest prompt for its num_ctx, and sets memory aside when it loads the model"
	}
	return f, nil
}

// unloadTime is how long a server may take to let the model go, and unloadPause how long to wait before asking again whether
// it has.
const (
	unloadTime  = time.Minute
	unloadPause = 20 * time.Millisecond
)

// Slotted implements [backends.Slotted]: unless OLLAMA_MULTIUSER_CACHE is set, a prompt gets the idle slot that begins most like it.
func (m *Model) Slotted() bool { return true }

// Forget implements [backends.Forgetter]: every server lets the model go, with all that it holds of earlier prompts, and
// loads it again.
func (m *Model) Forget(ctx context.Context) error {
	if m.closed {
		return backends.ErrClosed
	}
	m.fixContext()
	for _, s := range m.pool.Up() {
		if err := m.unload(ctx, s); err != nil {
			return fmt.Errorf("ollama: %s cannot unload %s: %w", s.Name(), m.options.Name, err)
		}
		if _, err := m.prepare(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// unload has a server let the model go, and waits until it has.
func (m *Model) unload(ctx context.Context, s *server) error {
	ctx, cancel := context.WithTimeoutCause(ctx, unloadTime, servers.ErrSilent)
	defer cancel()
	request := &api.GenerateRequest{Model: m.options.Name, KeepAlive: &api.Duration{}}
	if err := s.Generate(ctx, request, func(api.GenerateResponse) error { return nil }); err != nil {
		return plain(ctx, err)
	}
	s.sharedWith(nil)
	for {
		if err := m.readLoaded(ctx, s); err != nil {
			return plain(ctx, err)
		}
		if s.now.Get().context == 0 {
			return nil
		}
		if err := servers.Wait(ctx, nil, unloadPause); err != nil {
			return err
		}
	}
}
