package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"

	"proctor/backends/servers"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// refusals are what a server has refused to take, and is asked without.
type refusals struct {
	seed      bool
	usage     bool // with the stream
	maxTokens bool // of a chat, which is to be max_completion_tokens
}

// learn notes what a server refuses, by the words of its error, and says whether that was sent and can be left out. It was sent
// without what it was known to lack then: others may have learnt the same meanwhile.
func (s *server) learn(err error, without refusals) bool {
	var answered *openai.Error
	if !errors.As(err, &answered) || answered.StatusCode != http.StatusBadRequest && answered.StatusCode != http.StatusUnprocessableEntity {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	words := answered.Param + " " + answered.Message
	for _, p := range []struct {
		name  string
		left  bool
		lacks *bool
	}{
		{"max_completion_tokens", without.maxTokens, &s.lacks.maxTokens},
		{"seed", without.seed, &s.lacks.seed},
		{"stream_options", without.usage, &s.lacks.usage},
	} {
		if !p.left && strings.Contains(words, p.name) {
			*p.lacks = true
			return true
		}
	}
	return false
}

func (s *server) refuses() refusals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lacks
}

// mostStops is how many stop strings the protocol takes; all of them are looked for here too.
const mostStops = 4

// stops are those that are no empty strings: servers differ in what an empty one ends.
func stops(all []string) []string {
	some := slices.DeleteFunc(slices.Clone(all), func(stop string) bool { return stop == "" })
	return some[:min(mostStops, len(some))]
}

// seed is the request's; the largest means "draw one" to llama.cpp.
func seed(r *servers.Request) int64 { return min(int64(r.Sampling.Seed), math.MaxUint32-1) }

// raw is a request to continue a text, without a template.
func (s *server) raw(r *servers.Request, lacks refusals) openai.CompletionNewParams {
	params := openai.CompletionNewParams{
		Model:            openai.CompletionNewParamsModel(s.holds()),
		Prompt:           openai.CompletionNewParamsPromptUnion{OfString: openai.String(r.Prompt)},
		MaxTokens:        openai.Int(int64(r.MaxTokens)),
		Temperature:      openai.Float(r.Sampling.Temperature),
		TopP:             openai.Float(cmp.Or(r.Sampling.TopP, 1)),
		PresencePenalty:  openai.Float(r.Sampling.PresencePenalty),
		FrequencyPenalty: openai.Float(r.Sampling.FrequencyPenalty),
		Stop:             openai.CompletionNewParamsStopUnion{OfStringArray: stops(r.Stop)},
	}
	if !lacks.seed {
		params.Seed = openai.Int(seed(r))
	}
	if !lacks.usage {
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	}
	if r.Logprobs > 0 {
		params.Logprobs = openai.Int(int64(r.Logprobs))
	}
	return params
}

// turn is a request for the next turn of a conversation. The item's own stop strings are not for the server, which
// would end the model's thinking with them too.
func (s *server) turn(r *servers.Request, lacks refusals) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model:            s.holds(),
		Temperature:      openai.Float(r.Sampling.Temperature),
		TopP:             openai.Float(cmp.Or(r.Sampling.TopP, 1)),
		PresencePenalty:  openai.Float(r.Sampling.PresencePenalty),
		FrequencyPenalty: openai.Float(r.Sampling.FrequencyPenalty),
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "system":
			params.Messages = append(params.Messages, openai.SystemMessage(m.Content))
		case "assistant":
			params.Messages = append(params.Messages, openai.AssistantMessage(m.Content))
		default:
			params.Messages = append(params.Messages, openai.UserMessage(m.Content))
		}
	}
	if lacks.maxTokens {
		params.MaxCompletionTokens = openai.Int(int64(r.MaxTokens))
	} else {
		params.MaxTokens = openai.Int(int64(r.MaxTokens))
	}
	if !lacks.seed {
		params.Seed = openai.Int(seed(r))
	}
	if !lacks.usage {
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	}
	if r.Logprobs > 0 {
		params.Logprobs, params.TopLogprobs = openai.Bool(true), openai.Int(int64(r.Logprobs))
	}
	return params
}

// extras are what engines take beyond the protocol. Engines with defaults of their own get all that may change an answer, the others
// only what the request sets.
func (s *server) extras(r *servers.Request) []option.RequestOption {
	var all []option.RequestOption
	set := func(key string, value any) { all = append(all, option.WithJSONSet(key, value)) }
	sampling, engine := r.Sampling, s.known().engine
	repeat := "repeat_penalty"
	if engine == vLLM {
		repeat = "repetition_penalty"
	}
	whole := engine == llamaServer || engine == vLLM
	if whole || sampling.TopK > 0 {
		topK := sampling.TopK
		if engine == vLLM && topK == 0 {
			topK = -1
		}
		set("top_k", topK)
	}
	if whole || sampling.MinP > 0 {
		set("min_p", sampling.MinP)
	}
	if whole || sampling.RepeatPenalty > 0 {
		set(repeat, cmp.Or(sampling.RepeatPenalty, 1))
	}
	if r.Logprobs > 0 && engine == vLLM {
		set("return_tokens_as_token_ids", true)
	}
	variables := s.variables(r.Think)
	if r.Messages == nil || len(variables) == 0 {
		if r.Budget != nil {
			for _, key := range budgetKeys[engine] {
				set(key, r.Budget.Most())
			}
		}
		return all
	}
	if engine == ollama {
		return append(all, option.WithJSONSet("reasoning_effort", map[bool]string{true: "medium", false: "none"}[*r.Think]))
	}
	return append(all, option.WithJSONSet("chat_template_kwargs", variables))
}

// efforts tell a model how hard to think, where that was chosen: through its template at llama-server.
func (s *server) efforts(effort string) []option.RequestOption {
	switch {
	case effort == "":
		return nil
	case s.known().engine == llamaServer:
		return []option.RequestOption{option.WithJSONSet("chat_template_kwargs.reasoning_effort", effort)}
	}
	return []option.RequestOption{option.WithJSONSet("reasoning_effort", effort)}
}

// timings are llama-server's for an answer, in tokens and milliseconds.
type timings struct {
	Prompt    int     `json:"prompt_n"` // evaluated
	PromptMS  float64 `json:"prompt_ms"`
	Predicted int     `json:"predicted_n"`
	DecodeMS  float64 `json:"predicted_ms"`
}

// extra reads what an event has beyond the protocol. What is missing or of another type leaves into unchanged.
func extra(raw string, into any) { _ = json.Unmarshal([]byte(raw), into) }
