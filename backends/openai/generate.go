package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"proctor/backends"
	"proctor/backends/inflight"
	"proctor/backends/stream"
)

// Generate implements [backends.Model].
func (m *Model) Generate(ctx context.Context, requests iter.Seq[backends.Request], done func(backends.Completion) error) error {
	if m.closed {
		return ErrClosed
	}
	take := func(r backends.Request) (func(context.Context) (backends.Completion, error), error) {
		pulled := time.Now()
		return func(ctx context.Context) (backends.Completion, error) { return m.complete(ctx, r, pulled) }, nil
	}
	return inflight.Run(ctx, requests, m.options.Concurrency, take, done)
}

// complete asks the server once. The error says why ctx ended, everything else is data.
func (m *Model) complete(ctx context.Context, r backends.Request, pulled time.Time) (backends.Completion, error) {
	failed := func(cause backends.Cause, text string) (backends.Completion, error) {
		return backends.Completion{ID: r.ID, Finish: backends.FinishError, Cause: cause, Error: text}, ctx.Err()
	}
	switch {
	case r.MaxTokens <= 0:
		return failed(backends.CauseEngine, fmt.Sprintf("a cap of %d tokens leaves nothing to generate", r.MaxTokens))
	case r.Prompt == "":
		return failed(backends.CauseEngine, "the prompt is empty")
	}
	asked, cancel := context.WithCancel(ctx) // of an answer that is done before the server knows it
	defer cancel()
	a := &answer{cap: r.MaxTokens, free: len(r.Stop) == 0, text: stream.NewText(r.Stop).Until(r.Done), pulled: pulled}
	events := m.completions.NewStreaming(asked, m.params(r), extras(r.Sampling)...)
	defer events.Close()
	for events.Next() {
		if a.add(events.Current()) {
			return a.completion(r.ID), nil
		}
	}
	if err := events.Err(); err != nil {
		return failed(cause(err), oneLine(err))
	}
	if a.finish == "" {
		return failed(backends.CauseConnection, "the answer ended before it was done")
	}
	return a.completion(r.ID), nil
}

// params are what the protocol has of a request.
func (m *Model) params(r backends.Request) openai.CompletionNewParams {
	return openai.CompletionNewParams{
		Model:            openai.CompletionNewParamsModel(m.name),
		Prompt:           openai.CompletionNewParamsPromptUnion{OfString: openai.String(r.Prompt)},
		MaxTokens:        openai.Int(int64(r.MaxTokens)),
		Temperature:      openai.Float(r.Sampling.Temperature),
		TopP:             openai.Float(cmp.Or(r.Sampling.TopP, 1)),
		Seed:             openai.Int(min(int64(r.Sampling.Seed), math.MaxUint32-1)), // the largest means "draw one" to llama.cpp,
		PresencePenalty:  openai.Float(r.Sampling.PresencePenalty),
		FrequencyPenalty: openai.Float(r.Sampling.FrequencyPenalty),
		StreamOptions:    openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		Stop:             openai.CompletionNewParamsStopUnion{OfStringArray: stops(r.Stop)},
	}
}

// stops are those that are no empty strings: servers differ in what an empty one ends.
func stops(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(stop string) bool { return stop == "" })
}

// extras are what llama-server and vLLM take beyond the protocol, sent only where they are asked for.
func extras(s backends.Sampling) []option.RequestOption {
	var all []option.RequestOption
	if s.TopK > 0 {
		all = append(all, option.WithJSONSet("top_k", s.TopK))
	}
	if s.MinP > 0 {
		all = append(all, option.WithJSONSet("min_p", s.MinP))
	}
	if s.RepeatPenalty > 0 {
		all = append(all, option.WithJSONSet("repeat_penalty", s.RepeatPenalty))
	}
	return all
}

// answer is what has come of a completion.
type answer struct {
	cap     int  // on its tokens
	free    bool // no stop string may end it
	text    *stream.Text
	pulled  time.Time
	first   time.Time // when the first piece came
	finish  openai.CompletionChoiceFinishReason
	pieces  int // with text in them: mostly a token each
	usage   openai.CompletionUsage
	timings timings
}

// timings are what llama-server tells of an answer, in tokens and milliseconds.
type timings struct {
	Prompt    int     `json:"prompt_n"` // evaluated
	PromptMS  float64 `json:"prompt_ms"`
	Predicted int     `json:"predicted_n"`
	DecodeMS  float64 `json:"predicted_ms"`
}

// add takes an event of the stream, and says whether the text is done, whatever the server would add.
func (a *answer) add(event openai.Completion) bool {
	if event.JSON.Usage.Valid() {
		a.usage = event.Usage
	}
	if told, has := event.JSON.ExtraFields["timings"]; has {
		_ = json.Unmarshal([]byte(told.Raw()), &a.timings) // which is no part of the protocol
	}
	for _, choice := range event.Choices {
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
		if choice.Text == "" {
			continue
		}
		if a.pieces++; a.first.IsZero() {
			a.first = time.Now()
		}
		if a.text.Add([]byte(choice.Text)) && a.finish == "" {
			return true
		}
	}
	return false
}

// completion is the answer as it stands.
func (a *answer) completion(id string) backends.Completion {
	c := backends.Completion{ID: id, Text: a.text.String(), Finish: backends.FinishStop}
	c.Usage = backends.Usage{
		PromptTokens: int(a.usage.PromptTokens), ReusedTokens: int(a.usage.PromptTokensDetails.CachedTokens),
		OutputTokens: int(a.usage.CompletionTokens),
	}
	if c.Usage.OutputTokens == 0 {
		c.Usage.OutputTokens = a.pieces
	}
	// Forks of llama-server say "stop" of every completion.
	if a.finish == openai.CompletionChoiceFinishReasonLength || a.free && a.finish != "" && c.Usage.OutputTokens >= a.cap {
		c.Finish, c.Cause = backends.FinishLength, backends.CauseLength
	}
	if a.timings.Prompt > 0 { // a server that tells this may not tell the protocol's own
		c.Usage.ReusedTokens = max(c.Usage.ReusedTokens, c.Usage.PromptTokens-a.timings.Prompt)
	}
	if a.first.IsZero() {
		a.first = time.Now()
	}
	milliseconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	c.Timing = backends.Timing{
		Prefill: milliseconds(a.timings.PromptMS), Decode: milliseconds(a.timings.DecodeMS), FirstToken: a.first.Sub(a.pulled),
	}
	c.Timing.Queue = max(0, c.Timing.FirstToken-c.Timing.Prefill)
	return c
}

// cause says what an error means for what was asked.
func cause(err error) backends.Cause {
	var answered *openai.Error
	switch {
	case !errors.As(err, &answered):
		return backends.CauseConnection
	case answered.StatusCode == http.StatusRequestTimeout || answered.StatusCode == http.StatusGatewayTimeout:
		return backends.CauseTimeout
	}
	return backends.CauseEngine
}

// oneLine is an error's text in one line: of a server's answer its status and words.
func oneLine(err error) string {
	text := err.Error()
	if answered := (*openai.Error)(nil); errors.As(err, &answered) {
		text = fmt.Sprintf("status %d: %s", answered.StatusCode, cmp.Or(answered.Message, http.StatusText(answered.StatusCode)))
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}
