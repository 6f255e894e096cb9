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
func (m *Model) Converses() bool { return m.facts.converses() }

// Converse implements [backends.Converser]: it has a server write the conversation down as it would for an answer.
func (m *Model) Converse(ctx context.Context, turns []backends.Turn, on *bool) (string, error) {
	if !m.facts.converses() {
		return "", fmt.Errorf("ollama: the server's template of %s is only %q, which marks no turns: take --prompt raw, or name a template with --chat-template", m.options.Name, m.facts.template)
	}
	if on != nil && !m.facts.thinks {
		return "", fmt.Errorf("ollama: the server does not know how %s thinks: leave thinking on auto", m.options.Name)
	}
	m.fixContext()
	m.conversed = true
	q := &question{Request: backends.Request{Turns: turns, Think: on, MaxTokens: 1}}
	request := m.chat(q)
	request.DebugRenderOnly = true
	return again(ctx, m.options.Tries, func() (string, error) { return m.writtenDown(ctx, request) })
}

// writtenDown asks a server for the text of a conversation.
func (m *Model) writtenDown(ctx context.Context, request *api.ChatRequest) (text string, err error) {
	s, err := m.pool.take(ctx, func(*server) bool { return true })
	if err != nil {
		return "", err
	}
	defer m.pool.give(s)
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
		return "", context.Cause(ctx)
	case errors.Is(err, errNotShown):
		return "", fmt.Errorf("ollama: %s, version %s, %w: take --prompt raw, name a template with --chat-template, or update the server", s.name(), s.version, err)
	case err != nil:
		return "", judge(err)
	case !shown:
		return "", heard.cutShort()
	}
	return text, nil
}

// errNotShown is a version that answers a conversation where its text was asked for.
var errNotShown = errors.New("does not show how it writes a conversation down")
