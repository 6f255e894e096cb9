package ollama

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/ollama/ollama/api"

	"proctor/backends"
)

// question is one request on its way.
type question struct {
	backends.Request
	ids    []int32   // tokens of the prompt; nil where the vocabulary is not at hand
	pulled time.Time // when Generate took it
}

// errWhole ends a request whose answer is complete before the server knows it.
var errWhole = errors.New("the answer is complete")

// keep is how long a server is asked to hold the model after a request: longer than a run ever pauses.
var keep = api.Duration{Duration: 30 * time.Minute}

// ask asks a server once. The error is a *fault, or why ctx ended.
func (m *Model) ask(ctx context.Context, s *server, q *question) (*answer, error) {
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(m.options.Silence, func() { cancel(errSilent) })
	defer silence.Stop()
	heard := &ear{beat: func() { silence.Reset(m.options.Silence) }}
	a := newAnswer(q, s)
	a.shared = m.pool.sharedWith(s, q.ids)
	defer a.end()
	var err error
	if q.Messages == nil {
		err = s.api.Generate(listening(timed, heard), m.raw(q), func(r api.GenerateResponse) error {
			return a.add("", r.Response, r.Done, r.DoneReason, r.Metrics)
		})
	} else {
		err = s.api.Chat(listening(timed, heard), m.chat(q), func(r api.ChatResponse) error {
			return a.add(r.Message.Thinking, r.Message.Content, r.Done, r.DoneReason, r.Metrics)
		})
	}
	switch {
	case errors.Is(err, errWhole), err == nil && a.done:
		return a, nil
	case timed.Err() != nil:
		if err = context.Cause(timed); errors.Is(err, errLate) || errors.Is(err, errSilent) {
			return nil, judge(err)
		}
		return nil, err
	case err != nil && heard.broken == nil: // where the connection broke, err may be about half a line
		return nil, judge(err)
	case heard.broken == nil && a.loops():
		return a, nil
	}
	return nil, heard.cutShort()
}

// raw is a request to continue a text exactly as it is.
func (m *Model) raw(q *question) *api.GenerateRequest {
	// Without the word on thinking, Ollama takes thinking out of a raw answer too, where the model knows it.
	return &api.GenerateRequest{
		Model: m.options.Name, Prompt: m.withoutBOS(q.Prompt), Raw: true, Think: &api.ThinkValue{Value: false},
		KeepAlive: &keep, Truncate: no(), Shift: no(), Options: m.settings(q.Sampling, q.MaxTokens, q.Stop),
	}
}

// chat is a request for the next turn of a conversation. The item's own stop strings are not for the server, which
// would end the model's thinking with them too.
func (m *Model) chat(q *question) *api.ChatRequest {
	return &api.ChatRequest{
		Model: m.options.Name, Messages: messages(q.Messages), Think: think(q.Think),
		KeepAlive: &keep, Truncate: no(), Shift: no(), Options: m.settings(q.Sampling, q.MaxTokens, m.facts.stop),
	}
}

func no() *bool { return new(bool) }

func think(on *bool) *api.ThinkValue {
	if on == nil {
		return nil
	}
	return &api.ThinkValue{Value: *on}
}

func messages(conversation []backends.Message) []api.Message {
	all := make([]api.Message, len(conversation))
	for i, t := range conversation {
		all[i] = api.Message{Role: t.Role, Content: t.Content}
	}
	return all
}

// settings are all options that may change an answer: what is left out, Ollama fills in from the Modelfile or with
// defaults of its own, such as a penalty for repeating a word.
func (m *Model) settings(s backends.Sampling, maxTokens int, stop []string) map[string]any {
	topP := s.TopP
	if topP == 0 {
		topP = 1
	}
	// The largest seed means "draw one" to llama.cpp.
	seed := min(int64(s.Seed), math.MaxUint32-1)
	settings := m.loading()
	settings["num_predict"] = maxTokens
	settings["stop"] = slices.DeleteFunc(append([]string{}, stop...), func(s string) bool { return s == "" })
	settings["temperature"] = s.Temperature
	settings["top_k"] = s.TopK
	settings["top_p"] = topP
	settings["min_p"] = s.MinP
	settings["typical_p"] = 1.0
	settings["seed"] = seed
	settings["repeat_penalty"] = 1.0
	settings["presence_penalty"] = 0.0
	settings["frequency_penalty"] = 0.0
	settings["repeat_last_n"] = 0
	settings["num_keep"] = 0
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
