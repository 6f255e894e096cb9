package main

import (
	"context"
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/chat"
)

// serverTemplate is the template that a server has for a model.
type serverTemplate struct {
	ctx   context.Context // of the requests
	model backends.Converser
}

// Fold implements [prompts.Template]. It refuses what leaves a turn's text out: servers do that without a word.
func (t serverTemplate) Fold(messages []chat.Message, o chat.Options) (chat.Rendering, error) {
	turns := make([]backends.Turn, len(messages))
	for i, m := range messages {
		turns[i] = backends.Turn{Role: m.Role, Content: m.Content}
	}
	text, err := t.model.Converse(t.ctx, turns, o.EnableThinking)
	if err != nil {
		return chat.Rendering{}, err
	}
	for i, m := range messages {
		if !strings.Contains(text, strings.TrimSpace(m.Content)) {
			return chat.Rendering{}, fmt.Errorf("the server's chat template leaves out turn %d, the %s's: take --prompt %s, or name a template with --chat-template", i+1, m.Role, otherMode(messages))
		}
	}
	return chat.Rendering{Text: text}, nil
}

// otherMode is a prompt mode with fewer turns than these.
func otherMode(messages []chat.Message) string {
	if len(messages) > 1 {
		return "chat"
	}
	return "raw"
}

// byServer has a server write the conversations down. Ollama brings templates of its own, or guesses one: where the
// model's file has another, that is said. own is that one's text, empty where it is not known.
func byServer(ctx context.Context, dialogue *prompts.Dialogue, model backends.Converser, own string) error {
	server := serverTemplate{ctx, model}
	dialogue.Template, dialogue.Served = server, true
	if own == "" {
		return nil
	}
	sample := []chat.Message{{Role: "user", Content: "Which of these?"}}
	if dialogue.Turns {
		sample = []chat.Message{
			{Role: "system", Content: "Choose."}, {Role: "user", Content: "Which one?"}, {Role: "assistant", Content: "This one."}, sample[0],
		}
	}
	o := dialogue.Options
	o.AddGenerationPrompt = true
	theirs, err := server.Fold(sample, o)
	if err != nil {
		return err
	}
	if template, err := chat.Parse(own); err == nil {
		ours, err := template.Fold(sample, o)
		if err == nil && strings.TrimPrefix(ours.Text, o.BOS) == strings.TrimPrefix(theirs.Text, o.BOS) {
			return nil
		}
	}
	dialogue.Named = "the Ollama server's"
	return nil
}
