// Package chat renders conversations with a model's own chat template, as Hugging Face's tokenizers do it: the same
// settings, byte for byte the same text. A conversation is all that templates get: tools and documents are not defined.
//
// Shape: Parse reads the template that a GGUF carries. Template.Render gives the text of a conversation exactly as the
// template has it, and a *Refusal where the template refuses. Template.Fold is one level up: to a template that
// takes no system turn it gives that turn's text inside the first user turn, and says so.
//
// Neighbours: prompts makes the turns; the caller tokenises the text with special tokens parsed and without adding a
// BOS, because templates write bos_token themselves. Package jinja below is the template language.
package chat

import (
	"errors"
	"fmt"
	"time"

	"proctor/backends/setting"
	"proctor/prompts/chat/jinja"
)

// Message is one turn of a conversation. Role is "system", "user" or "assistant".
type Message struct {
	Role    string
	Content string
}

// Options is what a template gets besides the conversation.
type Options struct {
	BOS, EOS string // the tokens' text, as in "<s>"
	// AddGenerationPrompt asks the template to open the assistant's turn.
	AddGenerationPrompt bool
	// EnableThinking sets the template's enable_thinking; nil leaves it undefined, which is the model's own default.
	EnableThinking *bool
	// Effort sets the template's reasoning_effort; empty leaves it undefined.
	Effort string
	// Arguments are further variables. One that the template does not read is an [*ArgumentError].
	Arguments Arguments
	// Now is what strftime_now prints. Templates that print a date are an error without it.
	Now time.Time
}

// Template is a parsed chat template. It is immutable: any number of goroutines may render it.
type Template struct {
	parsed *jinja.Template
	called string // for people
}

// Refusal is what a template says with raise_exception about a conversation that it does not take.
type Refusal struct{ Message string }

func (r *Refusal) Error() string { return "it refuses the conversation: " + r.Message }

// ErrThinkingUnknown is EnableThinking for a template that would ignore it.
var ErrThinkingUnknown = errors.New("the model's chat template knows no enable_thinking; leave thinking on auto")

// ErrEffortUnknown is Effort for a template that would ignore it.
var ErrEffortUnknown = setting.Errorf("the model's chat template knows no reasoning_effort; leave %s out", setting.ReasoningEffort)

// Parse reads a chat template. A template that uses what this package lacks is an error that names it and the line;
// so is one that is not valid Jinja.
func Parse(source string) (*Template, error) { return parse("the model's chat template", source) }

// ParseFile is Parse of a file that people wrote, which errors name.
func ParseFile(name, source string) (*Template, error) { return parse(name, source) }

func parse(called, source string) (*Template, error) {
	parsed, err := jinja.Parse(source)
	t := &Template{parsed, called}
	if err != nil {
		return nil, t.failed(err)
	}
	return t, nil
}

// failed is an error of the template.
func (t *Template) failed(err error) error {
	var failed *jinja.Error
	if errors.As(err, &failed) && (failed.Kind == jinja.Unsupported || failed.Kind == jinja.LimitExceeded) {
		return fmt.Errorf("%s: %w; %s does without it", t.called, err, setting.Prompt.As("raw"))
	}
	return fmt.Errorf("%s: %w", t.called, err)
}

// KnowsThinking says whether the template reads enable_thinking.
func (t *Template) KnowsThinking() bool { return t.parsed.Reads("enable_thinking") }

// Render gives the conversation's text. The error wraps a *Refusal where the template refuses the conversation, and a
// *jinja.Error with the line wherever rendering fails; ErrThinkingUnknown if EnableThinking would have no effect, and
// ErrEffortUnknown if Effort would not.
func (t *Template) Render(messages []Message, o Options) (string, error) {
	if o.EnableThinking != nil && !t.KnowsThinking() {
		return "", ErrThinkingUnknown
	}
	if o.Effort != "" && !t.parsed.Reads("reasoning_effort") {
		return "", ErrEffortUnknown
	}
	if name := t.ignored(o.Arguments); name != "" {
		return "", &ArgumentError{t.called, name}
	}
	turns := make(jinja.List, len(messages))
	for i, message := range messages {
		turns[i] = jinja.NewDict().Set("role", message.Role).Set("content", message.Content)
	}
	variables := map[string]jinja.Value{
		"messages":              turns,
		"bos_token":             o.BOS,
		"eos_token":             o.EOS,
		"add_generation_prompt": o.AddGenerationPrompt,
		"raise_exception":       jinja.Function(raise),
		"strftime_now":          clock(o.Now),
	}
	if o.EnableThinking != nil {
		variables["enable_thinking"] = *o.EnableThinking
	}
	if o.Effort != "" {
		variables["reasoning_effort"] = o.Effort
	}
	o.Arguments.give(variables)
	rendered, err := t.parsed.Render(variables, jinja.Limits{})
	if err != nil {
		return "", t.failed(err)
	}
	return rendered, nil
}

// raise is raise_exception(message).
func raise(a jinja.Arguments) (jinja.Value, error) {
	if len(a.Values) != 1 || len(a.Names) > 0 {
		return nil, errors.New("raise_exception takes one message")
	}
	message, err := jinja.Print(a.Values[0])
	if err != nil {
		return nil, err
	}
	return nil, &Refusal{message}
}

// clock is strftime_now(format) at a given time.
func clock(now time.Time) jinja.Function {
	return func(a jinja.Arguments) (jinja.Value, error) {
		format, isText := "", false
		if len(a.Values) == 1 && len(a.Names) == 0 {
			format, isText = a.Values[0].(string)
		}
		if !isText {
			return nil, errors.New("strftime_now takes one format")
		}
		if now.IsZero() {
			return nil, errors.New("strftime_now: no time was given")
		}
		return strftime(now, format)
	}
}
