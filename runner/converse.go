package runner

import (
	"errors"
	"strings"

	"proctor/backends"
	"proctor/prompts"
	"proctor/runner/journal"
)

// The prompt modes, of which journals have the first three.
const (
	PromptRaw   = "raw"   // the model simply continues the text
	PromptChat  = "chat"  // the whole text is one user turn
	PromptTurns = "turns" // the shots have turns of their own
	PromptAuto  = "auto"  // in a [Form]: chat where the model has a template, else raw
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
	if p.stopAt != nil {
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

// read puts into a record what the model read of an item whose conversation the backend wrote down.
func read(record *journal.Record, item *prompts.Item, prompt string) {
	own, fits := strings.CutPrefix(prompt, item.Preamble)
	if fits {
		record.Prompt = own
		return
	}
	record.Finish, record.Cause, record.Text = backends.FinishError, "", ""
	record.Error = "runner: the server did not begin this conversation as it begins the subject's others"
}
