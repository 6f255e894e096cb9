package chat

import (
	"errors"
	"slices"
	"strings"
)

// Rendering is a conversation's text, and what had to be done to the conversation to get it.
type Rendering struct {
	Text string
	// SystemFolded is true where the template does not take a system turn, so that its text went into the first user
	// turn.
	SystemFolded bool
	// Reason says why: the template's own words where it refused, else that it left the turn out.
	Reason string
}

// Fold renders a conversation like Render. If the template refuses it or leaves out the text of its leading system
// turn, and does neither once that text stands at the head of the first user turn (with a blank line between), the
// result is that one. Where folding does not help, the result is that of Render.
func (t *Template) Fold(messages []Message, o Options) (Rendering, error) {
	text, err := t.Render(messages, o)
	reason := "the template leaves the system turn out"
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		reason = refusal.Message
	case err != nil:
		return Rendering{}, err
	}
	folded, possible := foldSystem(messages)
	if !possible || err == nil && says(text, messages[0]) {
		return Rendering{Text: text}, err
	}
	foldedText, foldedErr := t.Render(folded, o)
	if foldedErr != nil || !says(foldedText, messages[0]) {
		return Rendering{Text: text}, err
	}
	return Rendering{Text: foldedText, SystemFolded: true, Reason: reason}, nil
}

// says returns whether a rendering has a turn's text in it. Templates may trim the white space around a turn.
func says(text string, m Message) bool { return strings.Contains(text, strings.TrimSpace(m.Content)) }

// foldSystem moves the leading system turn into the user turn after it; possible is false if there are none such.
func foldSystem(messages []Message) (folded []Message, possible bool) {
	if len(messages) < 2 || messages[0].Role != "system" || messages[1].Role != "user" {
		return nil, false
	}
	folded = slices.Clone(messages[1:])
	folded[0].Content = messages[0].Content + "\n\n" + folded[0].Content
	return folded, true
}
