package prompts

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"proctor/prompts/chat"
)

// An Item is one prompt of one question.
type Item struct {
	ID              string // "mmlu_pro/70", "mmlu_pro_binary/70/C", "mmlu_pro_circular/70/BCDA"
	QuestionID      int
	Subject         string
	Variant         string   // "", "C", "BCDA"
	Options         int      // letters that count as an answer
	OptionsOriginal int      // options of the question behind a true-or-false item, else 0
	Gold            string   // the right letter of this item
	OptionTexts     []string // what its letters stand for
	Preamble        string   // instruction and shots, shared by all items of the subject
	Text            string   // the item's own part
	Turns           *Turns   // Preamble in pieces, shared too
	AnswerPrefix    string   // of a direct variant: what the answer has before its letter, and Text ends with

	// Opening is the text that a chat template writes after the last message, to open the model's turn; empty for raw prompts.
	Opening string

	// Conversation has the messages that the prompt was rendered from, if [Dialogue.Served] made it.
	Conversation []chat.Message
}

// Turns are the pieces of a preamble, for prompts in turns: the last user turn is the item's Text.
type Turns struct {
	System      string // the system message; empty for none
	Instruction string // with the blank lines behind it; empty where the style has none
	Shots       []Shot // each answer with the blank lines behind it
}

// lead is the system's text as a raw prompt begins with it.
func (t *Turns) lead() string {
	if t == nil || t.System == "" {
		return ""
	}
	return t.System + "\n\n"
}

// preamble joins the pieces to the text before an item's own.
func (t *Turns) preamble() string {
	var b strings.Builder
	b.WriteString(t.lead())
	b.WriteString(t.Instruction)
	for _, shot := range t.Shots {
		b.WriteString(shot.Ask)
		b.WriteString(shot.Answer)
	}
	return b.String()
}

// Prompt is the exact text of the item.
func (i Item) Prompt() string { return i.Preamble + i.Text }

// Chars counts the prompt's characters (code points).
func (i Item) Chars() int {
	return utf8.RuneCountInString(i.Preamble) + utf8.RuneCountInString(i.Text)
}

// BySubject goes through items that are ordered by subject, a subject at a time.
func BySubject(items []Item) iter.Seq[[]Item] {
	return func(yield func([]Item) bool) {
		for len(items) > 0 {
			end := slices.IndexFunc(items, func(i Item) bool { return i.Subject != items[0].Subject })
			if end < 0 {
				end = len(items)
			}
			if !yield(items[:end]) {
				return
			}
			items = items[end:]
		}
	}
}
