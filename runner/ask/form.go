package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/runner/journal"
)

// The prompt modes, of which journals have the first three.
const (
	PromptRaw   = "raw"   // the model simply continues the text
	PromptChat  = "chat"  // the whole text is one user turn
	PromptTurns = "turns" // the shots have turns of their own
	PromptAuto  = "auto"  // in a [Form]: chat where the model has a template, else raw
)

// A Form says in which form a model is to get its prompts.
type Form struct {
	Mode  string    // PromptRaw, PromptChat, PromptTurns or PromptAuto; empty for PromptRaw
	Think *bool     // whether it is to think before it answers; nil leaves that to the model
	Now   time.Time // for templates that print the date

	Effort string // one of [backends.Efforts], how hard it is to think; empty leaves that to the model

	// Builtin names a template to take instead of the model's own, and Write writes conversations down by it.
	Builtin string
	Write   func(name string, messages []backends.Message) (string, error)

	// File is a template that people wrote, to take instead of the model's own, and FileName is its name for them.
	File, FileName string
	Arguments      chat.Arguments // variables for the template
}

// Dialogue is the form for a model; nil for raw prompts. The template is that of the server where the model is a
// [backends.Converser], else the model's own where it is a [backends.Templated].
func (f Form) Dialogue(ctx context.Context, model any) (*prompts.Dialogue, error) {
	var own backends.ChatTemplate
	if templated, ok := model.(backends.Templated); ok {
		own = templated.ChatTemplate()
	}
	server := ""
	converser, _ := model.(backends.Converser)
	if converser != nil && !f.brings() {
		server = converser.Converses()
	}
	f.Mode = cmp.Or(f.Mode, PromptRaw)
	switch {
	case f.Mode != PromptRaw && f.Mode != PromptChat && f.Mode != PromptTurns && f.Mode != PromptAuto:
		return nil, fmt.Errorf("--prompt %s: there are %s, %s, %s and %s", f.Mode, PromptRaw, PromptChat, PromptTurns, PromptAuto)
	case f.Mode == PromptAuto && own.Text == "" && !f.brings() && server == "":
		f.Mode = PromptRaw
	case f.Mode == PromptAuto:
		f.Mode = PromptChat
	}
	if f.Mode == PromptRaw {
		return nil, f.checkRaw()
	}
	d := &prompts.Dialogue{
		Options: chat.Options{BOS: own.BOS, EOS: own.EOS, EnableThinking: f.Think, Effort: f.Effort, Arguments: f.Arguments, Now: f.Now},
		Turns:   f.Mode == PromptTurns,
	}
	switch {
	case f.File != "":
		return f.byFile(d)
	case f.Builtin != "" && f.Effort != "":
		return nil, chat.ErrEffortUnknown
	case f.Builtin != "" && len(f.Arguments) > 0:
		return nil, errors.New("--template-arg: llama.cpp's built-in chat templates read no variables: leave it out, or give the template " +
			"as --chat-template @FILE")
	case f.Builtin != "":
		d.Template, d.Named = writer(f.byBuiltin), "llama.cpp's built-in "+f.Builtin
		return d, nil
	case server != "":
		if efforter, can := model.(backends.Efforter); f.Effort != "" && !can {
			return nil, fmt.Errorf("--reasoning-effort: %s can't be told it: leave the flag out", server)
		} else if f.Effort != "" {
			efforter.SetEffort(f.Effort)
		}
		if err := f.tell(converser); err != nil {
			return nil, err
		}
		d.Served, d.Options.Arguments = true, nil
		d.Template = writer(func(messages []backends.Message, think *bool) (string, error) {
			return converser.Converse(ctx, messages, think)
		})
		other, err := isOther(*d, own.Text)
		if other {
			d.Named = server + "'s"
		}
		return d, err
	case own.Text == "":
		return nil, errors.New("--prompt " + f.Mode + ": the model has no chat template; take --prompt raw, or give one with " +
			"--chat-template, built-in or from a @FILE")
	}
	parsed, err := chat.Parse(own.Text)
	if err != nil {
		return nil, fmt.Errorf("%w; --chat-template takes another, built-in or from a @FILE", err)
	}
	d.Template = parsed
	return d, nil
}

// think is the journal's word for Think.
func (f Form) think() string {
	switch {
	case f.Think == nil:
		return ""
	case *f.Think:
		return "on"
	}
	return "off"
}

// checkRaw refuses what raw prompts have no use for.
func (f Form) checkRaw() error {
	if f.Think != nil {
		return fmt.Errorf("--think %s needs a chat prompt: raw prompts have no template that knows it", f.think())
	}
	if f.Effort != "" {
		return fmt.Errorf("--reasoning-effort %s needs a chat prompt: raw prompts have no template that knows it", f.Effort)
	}
	if f.brings() {
		return fmt.Errorf("--chat-template %s needs --prompt %s or %s", cmp.Or(f.Builtin, "@"+f.FileName), PromptChat, PromptTurns)
	}
	if len(f.Arguments) > 0 {
		return fmt.Errorf("--template-arg needs --prompt %s or %s: raw prompts have no template that reads it", PromptChat, PromptTurns)
	}
	return nil
}

// writer is a [prompts.Template] that a backend has.
type writer func(messages []backends.Message, think *bool) (string, error)

// Fold implements [prompts.Template].
func (w writer) Fold(messages []chat.Message, o chat.Options) (chat.Rendering, error) {
	text, err := w(messagesOf(messages), o.EnableThinking)
	return chat.Rendering{Text: text}, err
}

func (f Form) byBuiltin(messages []backends.Message, think *bool) (string, error) {
	if think != nil {
		return "", chat.ErrThinkingUnknown
	}
	return f.Write(f.Builtin, messages)
}

// messagesOf says a conversation in the words of backends; nil for none.
func messagesOf(conversation []chat.Message) []backends.Message {
	var messages []backends.Message
	for _, m := range conversation {
		messages = append(messages, backends.Message(m))
	}
	return messages
}

// isOther says whether a server writes conversations down otherwise than the model's own template, which is not always
// known: Ollama brings templates of its own, or guesses one.
func isOther(d prompts.Dialogue, own string) (bool, error) {
	if own == "" {
		return false, nil
	}
	sample := []chat.Message{{Role: "user", Content: "Which of these?"}}
	if d.Turns {
		sample = []chat.Message{
			{Role: "system", Content: "Choose."}, {Role: "user", Content: "Which one?"}, {Role: "assistant",
				Content: "This one."}, sample[0],
		}
	}
	d.Options.AddGenerationPrompt = true
	theirs, err := d.Template.Fold(sample, d.Options)
	if err != nil {
		return false, err
	}
	template, err := chat.Parse(own)
	if err != nil {
		return true, nil
	}
	ours, err := template.Fold(sample, d.Options)
	bos := d.Options.BOS
	return err != nil || strings.TrimPrefix(ours.Text, bos) != strings.TrimPrefix(theirs.Text, bos), nil
}

// Converse turns the plan's prompts into conversations, before Measure. think is for the journal: on, off, or empty.
//
// The style's stop strings go, those given for the run stay: a conversation ends with its turn, and in one a stop string such
// as "Question:" would cut a model that repeats what it was asked. What the model thinks in tags is left out when its answer is marked.
func (p *Plan) Converse(d prompts.Dialogue, think string) error {
	items, note, err := d.Apply(p.Items)
	if err != nil {
		return err
	}
	if p.stopAt != nil {
		return errors.New("thinking is left out when a conversation's answer is marked, and a </think> can come after any " +
			"answer, so --stop-at-answer can't end it earlier: take --prompt raw, or leave the flag out")
	}
	p.Items, p.measured = items, nil
	p.header.PromptMode = PromptChat
	if d.Turns {
		p.header.PromptMode = PromptTurns
	}
	p.header.Think, p.think, p.header.Effort = think, d.Options.EnableThinking, d.Options.Effort
	p.header.Strip = true
	if !p.ownStop {
		p.header.Sampling.Stop = []string{}
	}
	p.header.Preambles = p.preambles()
	if note != "" {
		p.header.Notes = append(p.header.Notes, note)
	}
	return nil
}

// read puts into a record what the model read of an item whose conversation the backend wrote down.
func read(record *journal.Record, item *prompts.Item, prompt string) {
	own, fits := strings.CutPrefix(prompt, item.Preamble)
	if fits && item.Shown != nil {
		own = prompt
	}
	if fits {
		record.Prompt = own
		return
	}
	record.Finish, record.Cause, record.Text = backends.FinishError, "", ""
	record.Error = "the server did not begin this conversation as it begins the subject's others"
}
