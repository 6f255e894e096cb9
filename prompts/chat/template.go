// Package chat renders conversations with a model's own chat template, as Hugging Face's tokenizers do it: the same
// settings, byte for byte the same text. A conversation is all that templates get: tools and documents are not defined.
//
// Shape: Parse takes the template that a GGUF or a file carries. Template.Render gives the text of a conversation
// exactly as the template has it, and a *Refusal where the template refuses. Template.Fold is one level up: to a
// template that takes no system turn it gives that turn's text inside the first user turn, and says so.
// Template.Thinking reads from the template how its model marks what it thinks.
//
// Neighbours: jinja knows the language; prompts makes the turns; the caller tokenises the text with special tokens
// parsed and without adding a BOS, because templates write bos_token themselves.
package chat

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/dustin/go-humanize"

	"proctor/backends/setting"
	"proctor/prompts/chat/jinja"
)

// Message is one turn of a conversation. Role is "system", "user" or "assistant".
type Message struct {
	Role    string
	Content string
}

// Options are the variables that a template gets besides the conversation.
type Options struct {
	BOS, EOS string // the tokens' text, as in "<s>"
	// AddGenerationPrompt asks the template to open the assistant's turn.
	AddGenerationPrompt bool
	// EnableThinking sets the template's switch of thinking; nil leaves it undefined, which is the model's own default.
	EnableThinking *bool
	// Effort sets the template's reasoning_effort; empty leaves it undefined.
	Effort string
	// Arguments are further variables. One that the template does not read is an [*ArgumentError].
	Arguments Arguments
	// Now is the time for strftime_now. Without it a template that prints a date is an error.
	Now time.Time
}

// Template is a chat template. It is immutable: any number of goroutines may render it.
type Template struct {
	called string // for people
	source string
	parsed *jinja.Template
	// toggle is the variable that switches thinking; empty for none.
	toggle string
}

// Refusal is the message of a template that refuses a conversation with raise_exception.
type Refusal struct{ Message string }

func (r *Refusal) Error() string { return "it refuses the conversation: " + r.Message }

// OfModel is the name of a model's own template in messages.
const OfModel = "the model's chat template"

// maxSource is the most bytes of a template. The longest published ones have some 20 kB.
const maxSource = 1 << 20

// Parse takes a chat template, which errors call so. One that is not valid Jinja is an error.
func Parse(called, source string) (*Template, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("%s: %s: a template has at most %s", called, humanize.IBytes(uint64(len(source))),
			humanize.IBytes(maxSource))
	}
	parsed, err := jinja.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", called, err)
	}
	t := &Template{called: called, source: source, parsed: parsed}
	t.toggle = t.findToggle()
	return t, nil
}

// Render gives the conversation's text. The error wraps a *Refusal where the template refuses the conversation,
// ErrThinkingUnknown if EnableThinking would have no effect. CheckEffort tells whether Effort has one.
func (t *Template) Render(messages []Message, o Options) (string, error) {
	if o.EnableThinking != nil && t.toggle == "" {
		return "", t.thinkError()
	}
	if name := t.ignored(o.Arguments); name != "" {
		return "", &ArgumentError{t.called, name}
	}
	if value, twice := o.Arguments[t.toggle]; twice && o.EnableThinking != nil {
		return "", fmt.Errorf("%s sets %s too: give it or %s", setting.Think, t.toggle,
			setting.TemplateArg.As(fmt.Sprint(t.toggle, "=", value)))
	}
	if value, twice := o.Arguments[effortVariable]; twice && o.Effort != "" {
		return "", fmt.Errorf("%s sets %s too: give it or %s", setting.ReasoningEffort, effortVariable,
			setting.TemplateArg.As(fmt.Sprint(effortVariable, "=", value)))
	}
	turns := make([]any, len(messages))
	for i, m := range messages {
		turns[i] = jinja.Object{Keys: []string{"role", "content"}, Values: []any{m.Role, m.Content}}
	}
	variables := o.variables(turns)
	if o.EnableThinking != nil {
		variables[t.toggle] = *o.EnableThinking
	}
	if o.Effort != "" {
		variables[effortVariable] = o.Effort
	}
	return t.render(variables, o.Now)
}

// variables are those of a conversation, but for thinking.
func (o *Options) variables(turns []any) map[string]any {
	variables := map[string]any{
		"messages": turns, "bos_token": o.BOS, "eos_token": o.EOS, "add_generation_prompt": o.AddGenerationPrompt,
	}
	maps.Copy(variables, o.Arguments)
	return variables
}

func (t *Template) render(variables map[string]any, now time.Time) (string, error) {
	text, err := t.parsed.Render(variables, now)
	if raised, is := errors.AsType[*jinja.Raised](err); is {
		return "", fmt.Errorf("%s: %w", t.called, &Refusal{raised.Message})
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w; %s does without it", t.called, err, setting.Prompt.As("raw"))
	}
	return text, nil
}
