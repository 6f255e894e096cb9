package openai

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"proctor/backends"
	"proctor/backends/servers"
)

// spare are the fields that a request can do without, or with another in its place. A server that refuses one gets the
// request again without it.
var spare = []string{
	"max_tokens", "temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "stop", "stream_options",
	"top_k", "min_p", "repeat_penalty", "repetition_penalty",
}

// refusedField is the spare field of a request that its server refuses, by its error; empty for none.
func refusedField(err error, body map[string]any) string {
	refusal, is := errors.AsType[*servers.Refusal](err)
	if !is || refusal.Code != http.StatusBadRequest && refusal.Code != http.StatusUnprocessableEntity ||
		refusal.Means(time.Now()).Cause != backends.CauseEngine { // it may name the cap where the context is too small
		return ""
	}
	named := plainWords(cmp.Or(refusal.Field, refusal.Words))
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

// message is a part of a conversation, as the protocol has it.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// sent are messages as the protocol has them.
func sent(messages []backends.Message) []message {
	all := make([]message, len(messages))
	for i, m := range messages {
		all[i] = message(m)
	}
	return all
}

// body is a whole request: the protocol's fields, those that people chose, and what a kind takes beyond the protocol,
// but for the one that the server refuses. A server that refuses max_tokens takes max_completion_tokens, as OpenAI's
// own does in conversations.
func (f facts) body(r *servers.Request, own *Body) map[string]any {
	if r.Forced != nil { // one given token behind others: its score is raised by more than scores differ
		const surely = 1000
		all := map[string]any{}
		maps.Copy(all, own.fields)
		maps.Copy(all, map[string]any{
			"model": f.Model.Ref, "prompt": r.IDs, "max_tokens": 1, "stream": false, "temperature": 0, "cache_prompt": true,
			"logprobs": r.Logprobs, "logit_bias": [][2]int32{{r.Forced.Tokens[0], surely}},
		})
		return all
	}
	all := map[string]any{
		"model": f.Model.Ref, "max_tokens": r.MaxTokens, "temperature": r.Sampling.Temperature,
		"seed":   min(int64(r.Sampling.Seed), math.MaxUint32-1), // the largest means "draw one" to llama.cpp
		"stream": true, "stream_options": map[string]any{"include_usage": true},
	}
	if r.Messages == nil {
		all["prompt"], all["stop"] = strings.TrimPrefix(r.Prompt, f.begins), stops(r.Stop)
	} else { // the item's stop strings would end the model's thinking too
		all["messages"] = sent(r.Messages)
	}
	drawing, _ := f.drawing(r.Sampling)
	maps.Copy(all, drawing)
	if f.kind == openAI && r.Messages != nil {
		delete(all, "max_tokens")
		all["max_completion_tokens"] = r.MaxTokens
	}
	if delete(all, f.lacks); f.lacks == "max_tokens" {
		all["max_completion_tokens"] = r.MaxTokens
	}
	maps.Copy(all, own.fields)
	maps.Copy(all, f.thinking(r))
	return all
}

// ofProtocol are the ways to sample that the protocol itself has. A service, and what may stand before one, gets those
// that are set, since newer models refuse them.
var ofProtocol = []string{"top_p", "presence_penalty", "frequency_penalty"}

// drawing are the fields that say how tokens are drawn, beside temperature and seed, and the settings that requests
// lack, since the server refuses or does not know them.
func (f facts) drawing(s backends.Sampling) (fields map[string]any, notTaken []string) {
	switch f.lacks {
	case "", "max_tokens", "stop", "stream_options": // these are made up for
	case "seed":
		if s.Temperature > 0 {
			notTaken = append(notTaken, f.lacks)
		}
	default:
		notTaken = append(notTaken, f.lacks)
	}
	fields = map[string]any{}
	for part := range s.Parts() {
		switch name := f.takes[part.Name]; {
		case slices.Contains(ofProtocol, part.Name) && (part.Set || !f.service && f.kind != unnamed),
			f.takes == nil && part.Set:
			fields[part.Name] = part.Value
		case name == "":
			if part.Set {
				notTaken = append(notTaken, part.Name)
			}
		case part.Name == "top_k" && !part.Set:
			fields[name] = f.allKept
		default:
			fields[name] = part.Value
		}
	}
	return fields, notTaken
}

// thinking are the fields that say whether, how hard and how long a model thinks. llama.cpp passes them to its
// template, and closes thinking in the marks that it finds there; it heeds no budget where it finds none, as where the
// template leaves earlier thinking out: there these are taken.
func (k *kind) thinking(r *servers.Request) map[string]any {
	all := map[string]any{}
	if b := r.Budget; b != nil {
		for _, key := range k.budgets {
			all[key] = b.Most()
		}
		if before, _, found := strings.Cut(b.Closing(), b.Way.Close); found && k == llamaServer {
			all["reasoning_budget_start_tag"], all["reasoning_budget_end_tag"] = b.Way.Open, b.Way.Close
			all["reasoning_budget_message"] = before
		}
	}
	if r.Messages == nil {
		return all
	}
	effort := r.Effort
	if k == ollama && r.Think != nil {
		all["reasoning_effort"] = map[bool]string{true: "medium", false: "none"}[*r.Think]
	}
	if k != llamaServer && effort != "" {
		all["reasoning_effort"], effort = effort, ""
	}
	if of := variables(r, effort); k != ollama && len(of) > 0 {
		all["chat_template_kwargs"] = of
	}
	return all
}

// variables are the values that a server's chat template gets.
func variables(r *servers.Request, effort string) map[string]any {
	all := map[string]any{}
	maps.Copy(all, r.Variables)
	if r.Think != nil {
		all["enable_thinking"] = *r.Think
	}
	if effort != "" {
		all["reasoning_effort"] = effort
	}
	return all
}
