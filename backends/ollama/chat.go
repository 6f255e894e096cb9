package ollama

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"proctor/backends"
)

// ChatTemplate implements [backends.Templated] with the template of the GGUF file, where that is at hand: a server
// tells only its own.
func (m *Model) ChatTemplate() backends.ChatTemplate {
	if templated, ok := m.vocabulary.(backends.Templated); ok {
		return templated.ChatTemplate()
	}
	return backends.ChatTemplate{}
}

// withoutBOS leaves out the token that begins a text, where a chat template wrote it and the server adds it again.
func (m *Model) withoutBOS(prompt string) string {
	bos := m.ChatTemplate().BOS
	rest, there := strings.CutPrefix(prompt, bos)
	if bos == "" || !there {
		return prompt
	}
	with, err := m.tokenize(prompt)
	if err != nil {
		return prompt
	}
	without, err := m.tokenize(rest)
	if err != nil || !slices.Equal(with, without) {
		return prompt
	}
	return rest
}

// Converses implements [backends.Converser].
func (m *Model) Converses() string {
	if m.facts.converses() {
		return "the Ollama server"
	}
	return ""
}

// Converse implements [backends.Converser]: it has a server write the conversation down as it would for an answer.
func (m *Model) Converse(ctx context.Context, messages []backends.Message, on *bool) (string, error) {
	if !m.facts.converses() {
		return "", fmt.Errorf("ollama: the server's template of %s is only %q, which marks no turns: take --prompt raw, or name a template with --chat-template", m.options.Name, m.facts.template)
	}
	if on != nil && !m.facts.thinks {
		return "", fmt.Errorf("ollama: the server does not know how %s thinks: leave thinking on auto", m.options.Name)
	}
	m.fixContext()
	m.conversed = true
	q := &question{Request: backends.Request{Messages: messages, Think: on, MaxTokens: 1}}
	return again(ctx, m.options.Tries, func() (string, error) {
		s, err := m.pool.take(ctx, func(*server) bool { return true })
		if err != nil {
			return "", err
		}
		defer m.pool.give(s)
		text, err := m.writtenDown(ctx, s, q)
		if f := (*fault)(nil); errors.As(err, &f) {
			return "", fmt.Errorf("ollama: %s: %w", s.name(), err)
		}
		return text, err
	})
}

// writtenDown asks a server for the text of a conversation, and refuses one that leaves a message out: servers do that
// without a word. The error is a *fault, or why ctx ended.
func (m *Model) writtenDown(ctx context.Context, s *server, q *question) (text string, err error) {
	request := m.chat(q)
	request.DebugRenderOnly = true
	shown, heard := false, &ear{beat: func() {}}
	err = s.api.Chat(listening(ctx, heard), request, func(r api.ChatResponse) error {
		if r.DebugInfo == nil {
			return errNotShown
		}
		shown, text = true, r.DebugInfo.RenderedTemplate
		return nil
	})
	switch {
	case ctx.Err() != nil:
		if err = context.Cause(ctx); errors.Is(err, errLate) {
			return "", judge(err)
		}
		return "", err
	case errors.Is(err, errNotShown):
		return "", &fault{cause: backends.CauseEngine, final: true, text: fmt.Sprintf(
			"version %s %v: take --prompt raw, name a template with --chat-template, or update the server", s.version, err)}
	case err != nil:
		return "", judge(err)
	case !shown:
		return "", heard.cutShort()
	}
	for i, message := range q.Messages {
		if !strings.Contains(text, strings.TrimSpace(message.Content)) {
			fewer := "raw"
			if len(q.Messages) > 1 {
				fewer = "chat"
			}
			return "", &fault{cause: backends.CauseEngine, final: true, text: fmt.Sprintf(
				"the server's chat template leaves out turn %d, the %s's: take --prompt %s, or name a template with --chat-template", i+1, message.Role, fewer)}
		}
	}
	return text, nil
}

// errNotShown is a version that answers a conversation where its text was asked for.
var errNotShown = errors.New("does not show how it writes a conversation down")
