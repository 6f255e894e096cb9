//go:build gollama

package gollama

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	llama "github.com/go-skynet/go-llama.cpp"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/stream"
)

// ErrMissing is nil: this program has the library.
var ErrMissing error

// model is a model that the library has loaded.
type model struct {
	options     Options
	loaded      *llama.LLama
	base, scale float32 // of the rotations: the library has defaults of its own, whatever the file says
	closed      bool
}

// batch is how many tokens of a prompt are computed at a time.
const batch = 512

// library is held while it is used: it has global variables.
var library sync.Mutex

func load(o Options, file *gguf.File) (backends.Model, error) {
	m := &model{options: o, base: 10000, scale: 1}
	if base, given := file.Float(file.Architecture() + ".rope.freq_base"); given {
		m.base = float32(base)
	}
	for _, key := range []string{".rope.scale_linear", ".rope.scaling.factor"} {
		if factor, given := file.Float(file.Architecture() + key); given && factor > 0 {
			m.scale = float32(1 / factor)
		}
	}
	library.Lock()
	defer library.Unlock()
	loaded, err := llama.New(o.Path, llama.SetContext(o.Context), llama.SetNBatch(batch),
		llama.SetGPULayers(int(o.GPULayers)), llama.EnableF16Memory,
		llama.WithRopeFreqBase(m.base), llama.WithRopeFreqScale(m.scale))
	if err != nil {
		return nil, fmt.Errorf("%s: go-llama.cpp cannot load it: %w; without gollama: it runs in-process", o.Path, err)
	}
	m.loaded = loaded
	return m, nil
}

// engine describes the library for the run's record.
func (o Options) engine() backends.EngineInfo {
	return backends.EngineInfo{
		Name: "gollama", Version: Version, Slots: 1, Threads: o.Threads, GPULayers: int(o.GPULayers), KVType: "f16",
		Batch: batch, Microbatch: batch, Context: o.Context - spare,
	}
}

// Info implements [backends.Model].
func (m *model) Info(context.Context) (backends.Info, error) {
	return backends.Info{
		Model: m.options.Info, Engine: m.options.engine(),
		Notes: []string{"Answered one at a time by a llama.cpp of September 2023, built apart from this program's own."},
		Lacks: []string{"min_p"},
	}, nil
}

// Recommended implements [backends.Recommender].
func (m *model) Recommended() *backends.Recommendation { return m.options.Recommended() }

// Close implements [backends.Model].
func (m *model) Close() error {
	if !m.closed {
		m.closed = true
		m.loaded.Free()
	}
	return nil
}

// Generate implements [backends.Model].
func (m *model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return backends.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for r := range requests {
		c := m.complete(ctx, r)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := done(c); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// complete answers a request; why it cannot is data.
func (m *model) complete(ctx context.Context, r backends.Request) backends.Completion {
	pulled := time.Now()
	library.Lock()
	defer library.Unlock()
	failed := func(cause backends.Cause, format string, args ...any) backends.Completion {
		return backends.Completion{ID: r.ID, Finish: backends.FinishError, Cause: cause, Error: fmt.Sprintf(format, args...)}
	}
	switch {
	case r.MaxTokens <= 0:
		return failed(backends.CauseEngine, "a cap of %d tokens leaves nothing to generate", r.MaxTokens)
	case r.Prompt == "":
		return failed(backends.CauseEngine, "the prompt is empty")
	}
	for part := range r.Sampling.Parts() {
		if part.Set && !slices.Contains(sampled, part.Name) {
			return failed(backends.CauseEngine, "go-llama.cpp has no %s: draw without, or leave gollama: out", part.Name)
		}
	}
	prompt := m.count(r.Prompt)
	work := backends.Workload{PromptTokens: prompt, MaxTokens: r.MaxTokens}
	if err := work.Fits(m.options.Context - spare); err != nil {
		return failed(backends.CauseTruncated, "%v", err)
	}
	a := &answer{ctx: ctx, cap: r.MaxTokens, text: stream.NewText(r.Stop), endLoops: r.EndLoops}
	began := time.Now()
	if _, err := m.loaded.Predict(r.Prompt, m.settings(r, a.add)...); err != nil {
		return failed(backends.CauseEngine, "go-llama.cpp: %v", err)
	}
	return a.completion(r.ID, prompt, pulled, began)
}

const (
	// spare are the tokens of a context that the library leaves empty behind a prompt.
	spare = 4
	// room is the library's buffer for a text, in bytes, which it writes to without looking at its end.
	room = 1 << 22
)

// settings are the request's. The library's own cap stands for the size of its buffer too, and what it does with stop strings cuts
// characters off the text: this package counts and cuts what its callback gets.
func (m *model) settings(r backends.Request, add func(string) bool) []llama.PredictOption {
	s := r.Sampling
	topP, penalty := s.TopP, s.RepeatPenalty
	if topP == 0 {
		topP = 1
	}
	if penalty == 0 {
		penalty = 1
	}
	all := []llama.PredictOption{
		llama.SetTokens(room), llama.SetTokenCallback(add), llama.SetThreads(m.options.Threads), llama.SetBatch(batch), llama.SetNKeep(0),
		llama.SetTemperature(float32(s.Temperature)), llama.SetTopK(s.TopK), llama.SetTopP(float32(topP)),
		llama.SetSeed(int(min(s.Seed, math.MaxUint32-1))), // the largest means "draw one"
		llama.SetPenalty(float32(penalty)), llama.SetRepeat(backends.PenaltyWindow), llama.SetPenalizeNL(true),
		llama.SetPresencePenalty(float32(s.PresencePenalty)), llama.SetFrequencyPenalty(float32(s.FrequencyPenalty)),
		llama.SetRopeFreqBase(m.base), llama.SetRopeFreqScale(m.scale),
	}
	if r.IgnoreEOS {
		all = append(all, llama.IgnoreEOS)
	}
	return all
}

// count is how many tokens the library makes of a text. For more than it has room for, it says below zero how many they are.
func (m *model) count(text string) int {
	n, _, _ := m.loaded.TokenizeString(text, llama.SetTokens(max(batch, len(text)+1)))
	if n < 0 {
		n = -n
	}
	return int(n)
}

// answer is the completion so far.
type answer struct {
	ctx    context.Context
	cap    int // on its tokens
	text   *stream.Text
	tokens int
	first  time.Time // when the first token came
	ended  bool      // by this side: the text is done, or repeats itself, or the cap hit
	done   bool

	endLoops, loops bool
	loop            stream.Loop
}

// add takes a token's text and reports whether to draw another token.
func (a *answer) add(piece string) bool {
	if a.tokens++; a.tokens == 1 {
		a.first = time.Now()
	}
	a.done = a.text.Add([]byte(piece))
	a.loops = a.endLoops && a.loop.Add([]byte(piece), a.cap-a.tokens)
	a.ended = a.done || a.loops || a.tokens == a.cap
	return !a.ended && a.ctx.Err() == nil
}

func (a *answer) completion(id string, prompt int, pulled, began time.Time) backends.Completion {
	now := time.Now()
	c := backends.Completion{ID: id, Text: a.text.String(), Finish: backends.FinishStop, Stop: a.text.Stop()}
	c.Usage = backends.Usage{PromptTokens: prompt, OutputTokens: a.tokens}
	switch {
	case a.loops:
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLoop
	case a.ended && !a.done:
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLength
	case !a.ended && a.tokens > 0:
		c.Usage.OutputTokens-- // the token that ends texts
	}
	if a.first.IsZero() {
		a.first = now
	}
	c.Timing = backends.Timing{
		Queue: began.Sub(pulled), Prefill: a.first.Sub(began), Decode: now.Sub(a.first), FirstToken: a.first.Sub(pulled),
	}
	return c
}
