package prompts

import (
	"fmt"
	"slices"
	"strings"

	"proctor/backends/setting"
	"proctor/prompts/chat"
)

// A Template writes a conversation down; a [*chat.Template] is one.
type Template interface {
	Fold([]chat.Message, chat.Options) (chat.Rendering, error)
}

// A Dialogue turns raw prompts into conversations in a model's own words.
type Dialogue struct {
	Template Template
	Named    string       // the template's name where it is not the model's own
	Options  chat.Options // AddGenerationPrompt is set here
	// Turns gives the shots turns of their own, with the instruction as the system's; otherwise the whole raw prompt
	// but for the system's text is one user turn.
	Turns bool
	// Served says that the template is a server's: it gets the conversations themselves and writes each down with the request. The items
	// keep their conversations. Their prompts are an estimate: one conversation of each subject is written down, and the other items' last
	// messages are put in the place of its own.
	Served bool
}

// Apply returns the items, ordered as [Eval.Items] orders them, with the conversation's text as their prompt: what a conversation
// of the subject begins with, up to the item's own part, is the preamble, the rest each item's own. So a preamble depends on the
// subject and on nothing that was drawn. note is for people, and empty where the template took the conversations as they are.
func (d Dialogue) Apply(items []Item) (rendered []Item, note string, err error) {
	d.Options.AddGenerationPrompt = true
	if d.Named != "" {
		note = "The chat template is " + d.Named + ", not the model's own."
	}
	rendered = slices.Clone(items)
	for subject := range BySubject(rendered) {
		around, folded, err := d.around(subject[0])
		if err != nil {
			return nil, "", err
		}
		if folded != "" {
			note = "The instruction stands in the first user turn: " + folded + "."
		}
		for i := range subject {
			if err := d.converse(&subject[i], around); err != nil {
				return nil, "", err
			}
		}
	}
	return rendered, note, nil
}

// placeholder stands in the place of an item's own part. Templates escape, trim or shorten nothing of it.
const placeholder = "QuestionAsked"

// frame is the text around an item's own part in its subject's conversation, and around the last message where servers write conversations
// down.
type frame struct {
	preamble      string
	before, after string
}

// around writes down a conversation of an item's subject with a placeholder for the item's own part. folded says why the instruction is in
// the first user turn; empty where it is not.
func (d Dialogue) around(item Item) (around frame, folded string, err error) {
	item.Text = placeholder
	messages := d.messages(item)
	r, err := d.Template.Fold(messages, d.Options)
	if err != nil {
		return around, "", fmt.Errorf("%s: %w", item.ID, err)
	}
	if r.SystemFolded {
		folded = r.Reason
	}
	last := lastOf(messages)
	at := max(0, strings.LastIndex(r.Text, last)) // a server's text has every message
	around.preamble = r.Text[:max(0, strings.LastIndex(r.Text, placeholder))]
	around.before, around.after = r.Text[:at], strings.TrimPrefix(r.Text[at:], last)
	return around, folded, nil
}

// converse puts the item's conversation into its prompt.
func (d Dialogue) converse(item *Item, around frame) error {
	item.Text = strings.TrimSuffix(item.Text, item.AnswerPrefix) // with which the model's turn begins
	messages := d.messages(*item)
	if d.Served {
		item.Conversation = messages
		item.Text = around.before + lastOf(messages) + around.after
	} else {
		r, err := d.Template.Fold(messages, d.Options)
		if err != nil {
			return fmt.Errorf("%s: %w", item.ID, err)
		}
		item.Text = r.Text + strings.TrimLeft(item.AnswerPrefix, " \n")
	}
	own, begins := strings.CutPrefix(item.Text, around.preamble)
	if !begins {
		return fmt.Errorf("%s: the chat template begins this conversation otherwise than the others of %s, because of what the question "+
			"says: take %s, or name another template with %s", item.ID, item.Subject, setting.Prompt.As("raw"), setting.ChatTemplate)
	}
	item.Preamble, item.Text, item.Opening = around.preamble, own, around.after
	return nil
}

// lastOf is the last message as most templates write it, without the blanks around it.
func lastOf(messages []chat.Message) string {
	return strings.TrimSpace(messages[len(messages)-1].Content)
}

// messages is an item's conversation up to the turn that the assistant is to write.
func (d Dialogue) messages(item Item) []chat.Message {
	if !d.Turns {
		lead := item.Turns.lead()
		return append(system(strings.TrimSuffix(lead, "\n\n")),
			chat.Message{Role: "user", Content: strings.TrimPrefix(item.Prompt(), lead)})
	}
	messages := system(strings.TrimSpace(item.Turns.lead() + item.Turns.Instruction))
	for _, shot := range item.Turns.Shots {
		messages = append(messages,
			chat.Message{Role: "user", Content: shot.Ask},
			chat.Message{Role: "assistant", Content: strings.TrimSpace(shot.Answer)})
	}
	return append(messages, chat.Message{Role: "user", Content: item.Text})
}

// system is the system's turn, if there is one.
func system(text string) []chat.Message {
	if text == "" {
		return nil
	}
	return []chat.Message{{Role: "system", Content: text}}
}
