package ollama

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// keep is how long a server is asked to hold the model after a request: longer than a run ever pauses.
var keep = api.Duration{Duration: 30 * time.Minute}

// ask asks a server once. The error is a *servers.Error, or why ctx ended.
func (m *Model) ask(ctx context.Context, s *server, r *servers.Request) (*answer, error) {
	watched, monitor, end := m.options.Watched(ctx, r)
	defer end()
	a := &answer{Answer: servers.NewAnswer(r, &s.Load), shared: s.sharedWith(r.IDs)}
	defer a.Ended()
	err := exchange(watched, monitor, &a.done, func(ctx context.Context) error {
		if r.Messages != nil {
			return s.Chat(ctx, m.chat(r), func(c api.ChatResponse) error {
				return a.add(c.Message.Thinking, c.Message.Content, c.Done, c.DoneReason, c.Metrics)
			})
		}
		return s.Generate(ctx, m.raw(r), func(g api.GenerateResponse) error {
			return a.add("", g.Response, g.Done, g.DoneReason, g.Metrics)
		})
	})
	if errors.Is(err, servers.ErrEarly) && a.loops() {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// raw is a request to continue a text, without a template.
func (m *Model) raw(r *servers.Request) *api.GenerateRequest {
	// Without the word on thinking, Ollama takes thinking out of a raw answer too, where the model knows it.
	return &api.GenerateRequest{
		Model: m.options.Name, Prompt: m.withoutBOS(r.Prompt), Raw: true, Think: &api.ThinkValue{Value: false},
		KeepAlive: &keep, Truncate: new(bool), Shift: new(bool), Options: m.settings(r.Sampling, r.MaxTokens, r.Stop),
	}
}

// withoutBOS leaves out the token that begins a text, where a chat template wrote it and the server adds it again.
func (m *Model) withoutBOS(prompt string) string {
	bos := m.ChatTemplate().BOS
	rest, there := strings.CutPrefix(prompt, bos)
	if bos == "" || !there {
		return prompt
	}
	with, err := m.tokenize(prompt)
	if err != nil {
		return prompt
	}
	without, err := m.tokenize(rest)
	if err != nil || !slices.Equal(with, without) {
		return prompt
	}
	return rest
}

// settings are all options that may change an answer: what is left out, Ollama fills in from the Modelfile or with
// defaults of its own, such as a penalty for repeating a word.
func (m *Model) settings(s backends.Sampling, maxTokens int, stop []string) map[string]any {
	window := 0
	if s.Penalises() {
		window = backends.PenaltyWindow
	}
	settings := m.loading()
	maps.Copy(settings, map[string]any{
		"num_predict": maxTokens, "stop": slices.DeleteFunc(append([]string{}, stop...), func(s string) bool { return s == "" }),
		"temperature": s.Temperature, "typical_p": 1.0, "repeat_last_n": window, "num_keep": 0,
		"seed": min(int64(s.Seed), math.MaxUint32-1), // the largest means "draw one" to llama.cpp
	})
	for part := range s.Parts() { // Ollama has the same names
		settings[part.Name] = part.Value
	}
	return settings
}

// loading are the options with which the model is loaded. They never change, or each change would load it again.
func (m *Model) loading() map[string]any {
	return map[string]any{"num_ctx": m.context, "num_gpu": m.gpuLayers(), "num_thread": m.options.Threads}
}

// gpuLayers is num_gpu: -1 has the server decide.
func (m *Model) gpuLayers() int {
	if m.options.GPULayers == nil {
		return -1
	}
	return *m.options.GPULayers
}

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return backends.ErrClosed
	}
	m.fixContext()
	defer m.transport.CloseIdleConnections()
	return m.pool.Generate(ctx, requests, servers.Protocol[*server]{
		Context: m.context, Setting: setting.Context, Count: m.tokenize, Write: m.write, Ask: m.complete,
		Truncations: servers.Truncations{
			Prefix: "ollama: ", What: fmt.Sprintf("the server's context (num_ctx was %d)", m.context),
			Remedy: fmt.Sprintf("give a larger %s, or see what limits the server (OLLAMA_CONTEXT_LENGTH, its memory, a proxy)", setting.Context),
		},
	}, done)
}

// complete asks a server once, and checks that it read the whole prompt.
func (m *Model) complete(ctx context.Context, s *server, r *servers.Request) (c backends.Completion, err error) {
	a, err := m.ask(ctx, s, r)
	if err != nil {
		return c, err
	}
	if odd := a.odd(); odd != nil {
		return c, odd
	}
	if err := m.checkTruncation(a); err != nil {
		return c, err
	}
	c = backends.Completion{Text: a.Whole(), Stop: a.Text.Stop(), Usage: m.count(a)}
	c.Timing = a.Timing(a.metrics.PromptEvalDuration, a.metrics.EvalDuration, a.counted())
	c.Finish, c.Cause = a.finish()
	return c, nil
}
