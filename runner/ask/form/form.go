// Package form decides how a model gets its prompts: as raw text, or as conversations in a chat template, which is the
// model's own, its server's, a built-in one or a file. Neighbours: package ask puts a plan's prompts into the form;
// prompts applies the [prompts.Dialogue].
package form

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"proctor/backends"
	"proctor/backends/setting"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/runner/ask/spec"
)

// The prompt modes; journals have the first three.
const (
	Raw   = "raw"   // the model simply continues the text
	Chat  = "chat"  // the whole text is one user turn
	Turns = "turns" // each shot is a turn
	Auto  = "auto"  // chat where the model has a template, else raw
)

// A Form is the user's choice of how a model gets its prompts, as [Of] makes it. The zero Form is for raw prompts.
type Form struct {
	spec.Prompts
	Now time.Time // for templates that print the date

	// Write writes conversations down by one of llama.cpp's built-in templates.
	Write func(name string, messages []backends.Message) (string, error)
}

// Of is the form of a specification's prompts. It refuses a template that can't be read, and two ways to say whether
// the model thinks.
func Of(p spec.Prompts, write func(name string, messages []backends.Message) (string, error)) (Form, error) {
	if value, both := p.TemplateArgs.Arguments["enable_thinking"]; both && p.Thinks() != nil {
		return Form{}, fmt.Errorf("%s sets enable_thinking too: give it or %s", setting.Think,
			setting.TemplateArg.As(fmt.Sprintf("enable_thinking=%v", value)))
	}
	if text := p.ChatTemplate.Text; text != "" {
		if _, err := chat.Parse(p.ChatTemplate.Name(), text); err != nil {
			return Form{}, fmt.Errorf("%s: %w", setting.ChatTemplate, err)
		}
	}
	return Form{Prompts: p, Write: write}, nil
}

// Dialogue is the form for a model; nil for raw prompts. The template is the server's where the model is a
// [backends.Converser], else the model's own where it is a [backends.Templated].
func (f Form) Dialogue(ctx context.Context, model any) (*prompts.Dialogue, error) {
	var own backends.ChatTemplate
	if templated, ok := model.(backends.Templated); ok {
		own = templated.ChatTemplate()
	}
	brings := f.ChatTemplate.Given != ""
	converser, served := model.(backends.Converser)
	served = served && !brings && converser.Converses() != ""
	switch f.Prompt = cmp.Or(f.Prompt, Raw); {
	case f.Prompt == Auto && own.Text == "" && !brings && !served:
		f.Prompt = Raw
	case f.Prompt == Auto:
		f.Prompt = Chat
	case f.Prompt != Raw && f.Prompt != Chat && f.Prompt != Turns:
		return nil, fmt.Errorf("%s: there are %s, %s, %s and %s", setting.Prompt.As(f.Prompt), Raw, Chat, Turns, Auto)
	}
	if f.Prompt == Raw {
		return nil, f.checkRaw()
	}
	d := &prompts.Dialogue{
		Options: chat.Options{BOS: own.BOS, EOS: own.EOS, EnableThinking: f.Thinks(), Effort: f.Effort,
			Arguments: f.TemplateArgs.Arguments, Now: f.Now},
		Turns: f.Prompt == Turns,
	}
	var err error
	switch {
	case f.ChatTemplate.Text != "":
		d.Named = f.ChatTemplate.Name()
		d.Template, err = chat.Parse(d.Named, f.ChatTemplate.Text)
	case brings:
		err = f.byBuiltin(d)
	case served:
		err = f.byServer(ctx, d, converser, own)
	case own.Text == "":
		err = fmt.Errorf("%s: the model has no chat template; take %s, or give one with %s, built-in or from a @FILE",
			setting.Prompt.As(f.Prompt), setting.Prompt.As(Raw), setting.ChatTemplate)
	default:
		if d.Template, err = chat.Parse(chat.OfModel, own.Text); err != nil {
			err = fmt.Errorf("%w; %s takes another, built-in or from a @FILE", err, setting.ChatTemplate)
		}
	}
	if template, own := d.Template.(*chat.Template); own && err == nil && f.Effort != "" {
		err = template.CheckEffort(f.Effort, f.Thinks())
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Thinking is how the model marks what it thinks: as the form says, else as its template shows, whose text may be the
// form's own. It is nil where neither does. turnEnd is the mark that ends its turns; empty where the template shows
// none.
func (f Form) Thinking(model any) (marks *backends.Thinking, turnEnd string) {
	text := f.ChatTemplate.Text
	if templated, can := model.(backends.Templated); can && f.ChatTemplate.Given == "" {
		text = templated.ChatTemplate().Text
	}
	template, err := chat.Parse(chat.OfModel, text)
	if text == "" || err != nil {
		return f.Marks.Thinking, ""
	}
	if m, shown := template.Thinking(); shown && f.Marks.Thinking == nil {
		f.Marks.Thinking = &backends.Thinking{Open: m.Open, Close: m.Close, Force: m.Force}
		if m == (chat.Marks{Open: backends.Tags.Open, Close: backends.Tags.Close}) {
			f.Marks.Thinking = &backends.Tags
		}
	}
	return f.Marks.Thinking, template.TurnEnd()
}

// checkRaw refuses settings that have no effect on raw prompts.
func (f Form) checkRaw() error {
	const unread = "%s needs a chat prompt: raw prompts have no template that knows it"
	switch {
	case f.Thinks() != nil:
		return fmt.Errorf(unread, setting.Think.As(f.Think))
	case f.Effort != "":
		return fmt.Errorf(unread, setting.ReasoningEffort.As(f.Effort))
	case f.ChatTemplate.Given != "":
		return fmt.Errorf("%s needs %s or %s", setting.ChatTemplate.As(f.ChatTemplate.Given), setting.Prompt.As(Chat), Turns)
	case len(f.TemplateArgs.Arguments) > 0:
		return fmt.Errorf("%s needs %s or %s: raw prompts have no template that reads it", setting.TemplateArg,
			setting.Prompt.As(Chat), Turns)
	}
	return nil
}

// byBuiltin uses one of llama.cpp's built-in templates, which support neither thinking nor variables.
func (f Form) byBuiltin(d *prompts.Dialogue) error {
	switch {
	case f.Effort != "":
		return chat.ErrEffortUnknown
	case len(f.TemplateArgs.Arguments) > 0:
		return fmt.Errorf("%s: llama.cpp's built-in chat templates read no variables: leave it out, or give the template "+
			"as %s", setting.TemplateArg, setting.ChatTemplate.As("@FILE"))
	}
	d.Named = "llama.cpp's built-in " + f.ChatTemplate.Given
	d.Template = writer(func(messages []backends.Message, think *bool) (string, error) {
		if think != nil {
			return "", fmt.Errorf("%w; leave thinking on auto", chat.ErrThinkingUnknown)
		}
		return f.Write(f.ChatTemplate.Given, messages)
	})
	return nil
}

// byServer uses the template of the model's server, which gets the effort and the variables.
func (f Form) byServer(
	ctx context.Context, d *prompts.Dialogue, server backends.Converser, own backends.ChatTemplate,
) error {
	if f.Effort != "" {
		efforter, can := server.(backends.Efforter)
		if !can {
			return fmt.Errorf("%s: %s has no such setting: leave the flag out", setting.ReasoningEffort, server.Converses())
		}
		efforter.SetEffort(f.Effort)
	}
	if len(f.TemplateArgs.Arguments) > 0 {
		arguer, can := server.(backends.TemplateArguer)
		if !can {
			return fmt.Errorf("%s: %s gives its chat templates no variables: bring a template with %s, or leave the flag out",
				setting.TemplateArg, server.Converses(), setting.ChatTemplate.As("@FILE"))
		}
		if err := arguer.ArgueTemplate(f.TemplateArgs.Arguments); err != nil {
			return err
		}
	}
	d.Served, d.Options.Arguments = true, nil
	d.Template = writer(func(messages []backends.Message, think *bool) (string, error) {
		return server.Converse(ctx, messages, think)
	})
	other, err := f.isOther(*d, own.Text)
	if other {
		d.Named = server.Converses() + "'s"
	}
	return err
}

// writer is a [prompts.Template] that a backend has.
type writer func(messages []backends.Message, think *bool) (string, error)

// Fold implements [prompts.Template].
func (w writer) Fold(messages []chat.Message, o chat.Options) (chat.Rendering, error) {
	text, err := w(Messages(messages), o.EnableThinking)
	return chat.Rendering{Text: text}, err
}

// Messages converts a conversation to the type of package backends; nil for none.
func Messages(conversation []chat.Message) []backends.Message {
	var messages []backends.Message
	for _, m := range conversation {
		messages = append(messages, backends.Message(m))
	}
	return messages
}

// sample is a short conversation that shows how a template writes them down.
var sample = []chat.Message{
	{Role: "system", Content: "Choose."}, {Role: "user", Content: "Which one?"}, {Role: "assistant", Content: "This one."},
	{Role: "user", Content: "Which of these?"},
}

// isOther says whether a server's template differs from the model's own, where that is known: Ollama has templates of
// its own, or guesses one.
func (f Form) isOther(d prompts.Dialogue, own string) (bool, error) {
	if own == "" {
		return false, nil
	}
	messages := sample[len(sample)-1:]
	if d.Turns {
		messages = sample
	}
	d.Options.AddGenerationPrompt = true
	theirs, err := d.Template.Fold(messages, d.Options)
	if err != nil {
		return false, err
	}
	template, err := chat.Parse(chat.OfModel, own)
	if err != nil {
		return true, nil
	}
	ours, err := template.Fold(messages, d.Options)
	bos := d.Options.BOS
	return err != nil || strings.TrimPrefix(ours.Text, bos) != strings.TrimPrefix(theirs.Text, bos), nil
}

// CheckUndated refuses conversations that show the day, which shards that begin on different ones would have
// differently.
func CheckUndated(d prompts.Dialogue) error {
	d.Options.AddGenerationPrompt = true
	messages := sample[len(sample)-1:]
	today, err := d.Template.Fold(messages, d.Options)
	if err != nil {
		return err
	}
	d.Options.Now = d.Options.Now.AddDate(1, 1, 1)
	later, err := d.Template.Fold(messages, d.Options)
	if err == nil && later.Text != today.Text {
		return fmt.Errorf("the model's chat template shows the date, and shards that begin on different days could not be "+
			"merged: "+
			"set it with %s, as in date_string=2026-11-22, or give a template without it as %s", setting.TemplateArg,
			setting.ChatTemplate.As("@FILE"))
	}
	return err
}
