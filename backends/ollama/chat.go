package ollama

import (
	"context"
	"errors"
	"fmt"

	"github.com/ollama/ollama/api"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// ChatTemplate implements [backends.Templated] with the template of the GGUF file, if there is one: a server reports only its own.
func (m *Model) ChatTemplate() backends.ChatTemplate {
	if templated, ok := m.vocabulary.(backends.Templated); ok {
		return templated.ChatTemplate()
	}
	return backends.ChatTemplate{}
}

// Converses implements [backends.Converser].
func (m *Model) Converses() string {
	if m.facts.converses() {
		return "the Ollama server"
	}
	return ""
}

// SetEffort implements [backends.Efforter].
func (m *Model) SetEffort(effort string) { m.effort = effort }

// Converse implements [backends.Converser]: it has a server write the conversation down as it would for an answer.
func (m *Model) Converse(ctx context.Context, messages []backends.Message, on *bool) (string, error) {
	if !m.facts.converses() {
		return "", fmt.Errorf("ollama: the server's template of %s is only %q, which marks no turns: take %s, "+
			"or name a template with %s", m.options.Name, m.facts.template, setting.Prompt.As("raw"), setting.ChatTemplate)
	}
	if (on != nil || m.effort != "") && !m.facts.thinks {
		return "", fmt.Errorf("ollama: the server does not know how %s thinks: leave thinking on auto, and %s out", m.options.Name, setting.ReasoningEffort)
	}
	m.fixContext()
	m.conversed = true
	r := &servers.Request{Request: backends.Request{Messages: messages, Think: on, MaxTokens: 1}}
	return servers.Retry(ctx, m.options.Tries, func() (text string, err error) {
		err = m.pool.Ask(ctx, nil, func(s *server) error {
			if text, err = m.write(ctx, s, r); err == nil {
				return nil
			}
			if e := (*servers.Error)(nil); errors.As(err, &e) {
				return fmt.Errorf("ollama: %s: %w", s.Name(), err)
			}
			return err
		})
		return text, err
	})
}

// write has a server write a conversation down, and refuses a text that leaves a message out: servers do that without a
// word. The error is a *servers.Error, or why ctx ended.
func (m *Model) write(ctx context.Context, s *server, r *servers.Request) (text string, err error) {
	chat, shown := m.chat(r), false
	chat.DebugRenderOnly = true
	err = exchange(ctx, &servers.Monitor{}, &shown, func(ctx context.Context) error {
		return s.Chat(ctx, chat, func(c api.ChatResponse) error {
			if c.DebugInfo == nil {
				return servers.Unwritable("version %s does not show how it renders a conversation: take %s, name a template with %s, or update the server",
					s.now.Get().version, setting.Prompt.As("raw"), setting.ChatTemplate)
			}
			shown, text = true, c.DebugInfo.RenderedTemplate
			return nil
		})
	})
	if err != nil {
		return "", err
	}
	fewer := "raw"
	if len(r.Messages) > 1 {
		fewer = "chat"
	}
	return text, servers.LacksTurn(text, r.Messages, fewer)
}

// chat is a request for the next turn of a conversation. The item's own stop strings are not for the server, which
// would end the model's thinking with them too.
func (m *Model) chat(r *servers.Request) *api.ChatRequest {
	chat := &api.ChatRequest{
		Model: m.options.Name, KeepAlive: &keep, Truncate: new(bool), Shift: new(bool),
		Options: m.settings(r.Sampling, r.MaxTokens, m.facts.stop),
	}
	for _, message := range r.Messages {
		chat.Messages = append(chat.Messages, api.Message{Role: message.Role, Content: message.Content})
	}
	if r.Think != nil {
		chat.Think = &api.ThinkValue{Value: *r.Think}
	}
	if m.effort != "" {
		chat.Think = &api.ThinkValue{Value: m.effort}
	}
	return chat
}
