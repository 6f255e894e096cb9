package runner

import (
	"errors"

	"proctor/backends"
	"proctor/prompts"
)

// The prompt modes of a journal.
const (
	PromptRaw   = "raw"   // the model simply continues the text
	PromptChat  = "chat"  // the whole text is one user turn
	PromptTurns = "turns" // the shots have turns of their own
)

// Converse turns the plan's prompts into conversations, before Measure. think is for the journal: on, off, or empty.
//
// The style's stop strings go: a conversation ends with its turn, and in one a stop string such as "Question:" would
// cut a model that repeats what it was asked. What the model thinks in tags is left out when its answer is marked.
func (p *Plan) Converse(d prompts.Dialogue, think string) error {
	items, note, err := d.Apply(p.Items)
	if err != nil {
		return err
	}
	if p.ending != nil {
		return errors.New("runner: thinking is left out when a conversation's answer is marked, and a </think> can come after any answer, so --stop-at-answer can't end it earlier: take --prompt raw, or leave the flag out")
	}
	p.Items = items
	p.header.PromptMode = PromptChat
	if d.Turns {
		p.header.PromptMode = PromptTurns
	}
	p.header.Think, p.think = think, d.Options.EnableThinking
	p.header.Strip = true
	p.header.Sampling.Stop = []string{}
	p.header.Preambles = p.preambles()
	if note != "" {
		p.header.Notes = append(p.header.Notes, note)
	}
	return nil
}

// turnsOf is an item's conversation for a backend that writes it down itself; nil for any other.
func turnsOf(item *prompts.Item) []backends.Turn {
	if item.Conversation == nil {
		return nil
	}
	turns := make([]backends.Turn, len(item.Conversation))
	for i, m := range item.Conversation {
		turns[i] = backends.Turn{Role: m.Role, Content: m.Content}
	}
	return turns
}
