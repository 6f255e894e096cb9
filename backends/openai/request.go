package openai

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"proctor/backends/servers"
)

// refusals are what a server has refused to take, and is asked without.
type refusals struct {
	seed      bool
	usage     bool // with the stream
	maxTokens bool // of a chat, which is to be max_completion_tokens
}

// learn notes what a server refuses, by the words of its error, and says whether that was sent and can be left out. It was sent
// without what it was known to lack then: others may have learnt the same meanwhile.
func (s *server) learn(err error, without refusals) (learnt bool) {
	var refused *statusError
	if !errors.As(err, &refused) || refused.code != http.StatusBadRequest && refused.code != http.StatusUnprocessableEntity {
		return false
	}
	s.now.Change(func(now *known) {
		for _, p := range []struct {
			name  string
			left  bool
			lacks *bool
		}{
			{"max_completion_tokens", without.maxTokens, &now.lacks.maxTokens},
			{"seed", without.seed, &now.lacks.seed},
			{"stream_options", without.usage, &now.lacks.usage},
		} {
			if !learnt && !p.left && strings.Contains(refused.about+" "+refused.words, p.name) {
				*p.lacks, learnt = true, true
			}
		}
	})
	return learnt
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

// body is a whole request: the protocol's fields, those that people chose, and what engines take beyond the protocol.
func (m *Model) body(s *server, r *servers.Request, lacks refusals) map[string]any {
	body := s.fields(r, lacks)
	maps.Copy(body, m.options.Body.fields)
	maps.Copy(body, m.extras(s, r))
	return body
}

// fields are those of the protocol: to continue a text, without a template, or for the next turn of a conversation. The item's own
// stop strings are not for the server then, which would end the model's thinking with them too.
func (s *server) fields(r *servers.Request, lacks refusals) map[string]any {
	all := map[string]any{
		"model": s.known().model, "temperature": r.Sampling.Temperature, "top_p": cmp.Or(r.Sampling.TopP, 1),
		"presence_penalty": r.Sampling.PresencePenalty, "frequency_penalty": r.Sampling.FrequencyPenalty, "stream": true,
	}
	if !lacks.seed {
		all["seed"] = seed(r)
	}
	if !lacks.usage {
		all["stream_options"] = map[string]any{"include_usage": true}
	}
	if r.Messages == nil {
		all["prompt"], all["max_tokens"], all["stop"] = r.Prompt, r.MaxTokens, stops(r.Stop)
		return all
	}
	limit := "max_tokens"
	if lacks.maxTokens {
		limit = "max_completion_tokens"
	}
	all["messages"], all[limit] = sent(r.Messages), r.MaxTokens
	return all
}

// ofProtocol are the ways to sample that the protocol itself has.
var ofProtocol = []string{"top_p", "presence_penalty", "frequency_penalty"}

// extras are what engines take beyond the protocol. Engines with defaults of their own get all that may change an answer, the others
// only what the request sets. llama-server tells a model how hard to think through its template.
func (m *Model) extras(s *server, r *servers.Request) map[string]any {
	all := map[string]any{}
	engine, effort := s.known().engine, m.effort
	for part := range r.Sampling.Parts() {
		switch name := part.Name; {
		case slices.Contains(ofProtocol, name), !part.Set && engine != llamaServer && engine != vLLM:
		case engine == vLLM && name == "repeat_penalty":
			all["repetition_penalty"] = part.Value
		case engine == vLLM && name == "top_k" && !part.Set:
			all[name] = -1
		default:
			all[name] = part.Value
		}
	}
	maps.Copy(all, budgetFields(engine, r.Budget))
	if r.Messages == nil {
		return all
	}
	if engine == ollama && r.Think != nil {
		all["reasoning_effort"] = map[bool]string{true: "medium", false: "none"}[*r.Think]
	}
	if engine != llamaServer && effort != "" {
		all["reasoning_effort"], effort = effort, ""
	}
	variables := m.variables(r.Think, effort)
	if engine != ollama && len(variables) > 0 {
		all["chat_template_kwargs"] = variables
	}
	return all
}
