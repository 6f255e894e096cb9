package prompts

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
	// Served says that the template is that of a server, which gets the conversations themselves and writes each down when
	// it is asked. The items keep them, and have as their prompt what is to be expected: the first conversation of a
	// subject is written down, in the others the last message stands in its place.
	Served bool
}

// Apply returns the items, ordered as [Eval.Items] orders them, with the conversation's text as their prompt: what
// all conversations of a subject begin with is the preamble, the rest each item's own. note is for people, and empty
// where the template took the conversations as they are.
func (d Dialogue) Apply(items []Item) (rendered []Item, note string, err error) {
	d.Options.AddGenerationPrompt = true
	if d.Named != "" {
		note = "The chat template is " + d.Named + ", not the model's own."
	}
	rendered = slices.Clone(items)
	for subject := range BySubject(rendered) {
		var around frame // of a served subject
		for i := range subject {
			item := &subject[i]
			item.Text = item.withoutAnswerPrefix()
			messages := d.messages(*item)
			item.Preamble = ""
			if d.Served {
				item.Conversation = messages
			}
			if d.Served && i > 0 {
				item.Text = around.with(messages)
				continue
			}
			r, err := d.Template.Fold(messages, d.Options)
			if err != nil {
				return nil, "", fmt.Errorf("%s: %w", item.ID, err)
			}
			if r.SystemFolded {
				note = "The instruction stands in the first user turn: " + r.Reason + "."
			}
			item.Text, around = item.answering(r.Text), frameOf(r.Text, messages)
		}
		split(subject)
	}
	return rendered, note, nil
}

// frame is what stands around the last message of a conversation that is written down.
type frame struct{ before, after string }

func frameOf(text string, messages []chat.Message) frame {
	last := lastOf(messages)
	at := max(0, strings.LastIndex(text, last)) // a server's text has every message
	return frame{text[:at], strings.TrimPrefix(text[at:], last)}
}

func (f frame) with(messages []chat.Message) string { return f.before + lastOf(messages) + f.after }

// lastOf is the last message as most templates write it, without the blanks around it.
func lastOf(messages []chat.Message) string {
	return strings.TrimSpace(messages[len(messages)-1].Content)
}

// messages is an item's conversation up to the assistant's turn that is asked for.
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

// system is the system's turn, where it has anything to say.
func system(text string) []chat.Message {
	if text == "" {
		return nil
	}
	return []chat.Message{{Role: "system", Content: text}}
}

// split moves what the texts of a subject's items all begin with into their preamble.
func split(items []Item) {
	shared := items[0].Text
	for _, item := range items[1:] {
		shared = shared[:commonPrefix(shared, item.Text)]
	}
	if len(items) == 1 {
		shared = "" // there is nothing to share it with
	}
	for i := range items {
		items[i].Preamble, items[i].Text = shared, items[i].Text[len(shared):]
	}
}

// commonPrefix is the length of what a and b both begin with, in whole characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}
