package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/setting"
)

// A Body holds the fields that people add to every request for an answer.
type Body struct{ fields map[string]any }

// insteadOf says what a person does instead of giving a field that requests have already; empty for other fields.
func insteadOf(field string) string {
	switch field {
	case "model":
		return "the model's reference names it"
	case "prompt":
		return "the question is the prompt"
	case "messages":
		return "the question is the conversation"
	case "stream", "stream_options":
		return "answers are read as they come"
	case "echo":
		return "the answer alone is read"
	case "max_tokens", "max_completion_tokens", "n_predict":
		return "give " + setting.MaxTokens.String()
	case "temperature":
		return "give " + setting.Temperature.String()
	case "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repeat_penalty", "repetition_penalty":
		return "give " + setting.Sampling.String()
	case "seed":
		return "give " + setting.Seed.String()
	case "stop":
		return "give " + setting.Stop.String()
	case "logprobs", "top_logprobs", "n_probs", "return_tokens_as_token_ids":
		return "give " + setting.KeepLogprobs.String()
	case "chat_template_kwargs":
		return "give " + setting.TemplateArg.String()
	case "n", "best_of":
		return "give " + setting.Repeats.String()
	}
	return ""
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// ParseBody reads a JSON object. One that everybody can read, as on a command line, must have no field that looks
// secret. Errors name the setting and the file, and no text that may be secret.
func ParseBody(given backends.Body) (*Body, error) {
	b, where := &Body{}, setting.ExtraBody.String()
	if given.Given == "" {
		return b, nil
	}
	if given.Text != "" {
		where = setting.ExtraBody.As(strings.TrimPrefix(given.Given, "@"))
	}
	refuse := func(format string, args ...any) (*Body, error) {
		return nil, fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...))
	}
	reader := json.NewDecoder(strings.NewReader(given.Content()))
	reader.UseNumber()
	err := reader.Decode(&b.fields)
	if err == nil {
		if _, more := reader.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	const like = `give a JSON object with at least one field, as in '{"reasoning_effort":"low"}'`
	if err != nil {
		return refuse("%w: "+like, err)
	}
	if len(b.fields) == 0 {
		return refuse(like)
	}
	for _, name := range slices.Sorted(maps.Keys(b.fields)) {
		if instead := insteadOf(name); instead != "" {
			return refuse("%q: proctor sets this field itself, so leave it out: %s", name, instead)
		}
		if !plainName.MatchString(name) {
			return refuse("%q: a field's name has letters, digits, _ and - only", name)
		}
	}
	if given.Text == "" && string(b.hiding(strings.NewReplacer())) != string(b.whole()) {
		return refuse("a field looks secret, and every user of the machine can read a command line: put the object into " +
			"a file that you alone can read, and give @FILE")
	}
	return b, nil
}

// hiddenText stands in the place of what is secret.
const hiddenText = "[secret]"

// secretName matches the names of fields whose values are not for everybody.
var secretName = regexp.MustCompile(`(?i)^(.*[_-])?(api_?key|key|secret|password|passwd|authorization|credentials?|` +
	`(access|auth|bearer|id|refresh)[_-]?token|token)$`)

// whole is the object as JSON.
func (b *Body) whole() json.RawMessage {
	text, _ := json.Marshal(b.fields) // of what JSON was
	return text
}

// hiding is the object as JSON, without what is secret by its name or known to be; nil for none.
func (b *Body) hiding(secrets *strings.Replacer) json.RawMessage {
	if len(b.fields) == 0 {
		return nil
	}
	text, _ := json.Marshal(hidden("", b.fields, secrets)) // of what JSON was
	return text
}

// hidden is the value of a field, without what is secret.
func hidden(name string, value any, secrets *strings.Replacer) any {
	if secretName.MatchString(name) && value != nil {
		return hiddenText
	}
	switch v := value.(type) {
	case string:
		return secrets.Replace(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = hidden("", v[i], secrets)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name := range v {
			object[name] = hidden(name, v[name], secrets)
		}
		return object
	}
	return value
}

// has says whether people send a field.
func (b *Body) has(field string) bool {
	_, has := b.fields[field]
	return has
}
