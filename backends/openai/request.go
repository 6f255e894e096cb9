package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"proctor/backends"
	"proctor/backends/servers"
)

// spare are the fields that a request can do without, or with another in its place. A server that refuses one gets the request again without it.
var spare = []string{
	"max_tokens", "temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "stop", "stream_options",
	"top_k", "min_p", "repeat_penalty", "repetition_penalty",
}

// refusedField is the spare field of a request that its server refuses, by its error; empty for none.
func refusedField(err error, body map[string]any) string {
	var refused *statusError
	if !errors.As(err, &refused) || refused.code != http.StatusBadRequest && refused.code != http.StatusUnprocessableEntity {
		return ""
	}
	if e := refusedBy(refused, refused.Error()); e.Cause != backends.CauseEngine { // it may name the cap where the context is too small
		return ""
	}
	named := plainWords(cmp.Or(refused.field, refused.words))
	for _, name := range spare {
		if _, sent := body[name]; sent && slices.Contains(named, plainWords(name)[0]) {
			return name
		}
	}
	return ""
}

// plainWords are the words of a text without what servers spell a field's name with: top_p, topP and top-p are one.
func plainWords(text string) []string {
	text = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(text))
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// mostStops is how many stop strings the protocol takes; all of them are looked for here too.
const mostStops = 4

// stops are the stop strings but empty ones: servers differ in what these end.
func stops(all []string) []string {
	some := slices.DeleteFunc(slices.Clone(all), func(stop string) bool { return stop == "" })
	return some[:min(mostStops, len(some))]
}

// body is a whole request: the protocol's fields, those that people chose, and what a kind takes beyond the protocol,
// but for the one that the server refuses. A server that refuses max_tokens takes max_completion_tokens, as OpenAI's
// own does in conversations.
func (m *Model) body(s *server, r *servers.Request, lacks string) map[string]any {
	if r.Forced != nil {
		return m.forcing(s, r)
	}
	all := map[string]any{"model": s.known().model, "max_tokens": r.MaxTokens, "stream": true}
	if r.Messages == nil {
		all["prompt"], all["stop"] = s.known().withoutBOS(r.Prompt), stops(r.Stop)
	} else { // the item's stop strings would end the model's thinking too
		all["messages"] = sent(r.Messages)
	}
	all["stream_options"] = map[string]any{"include_usage": true}
	all["temperature"], all["seed"] = r.Sampling.Temperature, min(int64(r.Sampling.Seed), math.MaxUint32-1) // the largest means "draw one" to llama.cpp
	maps.Copy(all, s.known().drawing(r.Sampling))
	if s.known().kind == openAI && r.Messages != nil {
		delete(all, "max_tokens")
		all["max_completion_tokens"] = r.MaxTokens
	}
	if delete(all, lacks); lacks == "max_tokens" {
		all["max_completion_tokens"] = r.MaxTokens
	}
	maps.Copy(all, m.options.Body.fields)
	maps.Copy(all, m.thinking(s, r))
	return all
}

// ofProtocol are the ways to sample that the protocol itself has. A service gets those that are set, since its newer
// models refuse them.
var ofProtocol = []string{"top_p", "presence_penalty", "frequency_penalty"}

// drawing are the fields that say how tokens are drawn, beside temperature and seed.
func (k *kind) drawing(s backends.Sampling) map[string]any {
	all := map[string]any{}
	for part := range s.Parts() {
		switch name := k.takes[part.Name]; {
		case slices.Contains(ofProtocol, part.Name) && (part.Set || !k.service), k.takes == nil && part.Set:
			all[part.Name] = part.Value
		case name == "" || !part.Set && !k.whole:
		case part.Name == "top_k" && !part.Set:
			all[name] = k.allKept
		default:
			all[name] = part.Value
		}
	}
	return all
}

// thinking are the fields that say whether, how hard and how long a model thinks. llama.cpp passes them to its template.
func (m *Model) thinking(s *server, r *servers.Request) map[string]any {
	of, effort := s.known().kind, m.effort
	all := budgetFields(of, r.Budget)
	if r.Messages == nil {
		return all
	}
	if of == ollama && r.Think != nil {
		all["reasoning_effort"] = map[bool]string{true: "medium", false: "none"}[*r.Think]
	}
	if !of.llama() && effort != "" {
		all["reasoning_effort"], effort = effort, ""
	}
	if variables := m.variables(r.Think, effort); of != ollama && len(variables) > 0 {
		all["chat_template_kwargs"] = variables
	}
	return all
}

// elsewhere are the fields that a journal has in other places, or that differ from one item to the next.
var elsewhere = []string{"model", "prompt", "messages", "max_tokens", "max_completion_tokens", "stop", "stream", "stream_options",
	"chat_template_kwargs", "logit_bias", "logprobs"}

// requests are the fields beside prompt, cap and stop strings that the servers get with each request of the planned run, as JSON objects,
// each once.
func (m *Model) requests() (all []json.RawMessage) {
	if !m.planned {
		return nil
	}
	for _, s := range m.pool.Up() {
		r := &servers.Request{Request: backends.Request{MaxTokens: m.work.MaxTokens, Sampling: m.work.Sampling}}
		if m.work.Forced {
			r.Forced = &backends.Forced{Tokens: []int32{0}}
		}
		if m.conversed {
			r.Messages = []backends.Message{}
		}
		body := m.body(s, r, s.known().lacks)
		maps.DeleteFunc(body, func(name string, _ any) bool { return slices.Contains(elsewhere, name) || m.options.Body.has(name) })
		text, _ := json.Marshal(body) // of numbers and texts
		if !slices.ContainsFunc(all, func(one json.RawMessage) bool { return string(one) == string(text) }) {
			all = append(all, text)
		}
	}
	return all
}
