package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/servers"
)

// Converses implements [backends.Converser].
func (m *Model) Converses() string { return "the server" }

// SetEffort implements [backends.Efforter].
func (m *Model) SetEffort(effort string) { m.effort = effort }

// Converse implements [backends.Converser]: it has a server write the conversation down. What cannot do that gets the messages
// alone, and the text is they, each behind its role.
func (m *Model) Converse(ctx context.Context, messages []backends.Message, think *bool) (string, error) {
	m.conversed = true
	text, err := m.write(ctx, m.first, messages, think)
	switch {
	case errors.Is(err, errUnwritten):
		return transcript(messages), nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", m.first.Name(), err)
	case m.effort != "":
		told := m.effort
		m.effort = ""
		other, err := m.write(ctx, m.first, messages, think)
		if m.effort = told; err == nil && other == text {
			return "", fmt.Errorf("the chat template at %s has no word for the effort of reasoning: leave --reasoning-effort out",
				m.first.Name())
		}
	case think != nil:
		opposite := !*think
		if other, err := m.write(ctx, m.first, messages, &opposite); err == nil && other == text {
			return "", fmt.Errorf("the chat template at %s has no word for thinking: leave it on auto", m.first.Name())
		}
	}
	return text, nil
}

// variables are those of a chat template that a conversation sets.
func (m *Model) variables(think *bool) map[string]any {
	all := map[string]any{}
	if think != nil {
		all["enable_thinking"] = *think
	}
	if m.effort != "" {
		all["reasoning_effort"] = m.effort
	}
	return all
}

// write has a server write a conversation down, and refuses a text that leaves a message out.
func (m *Model) write(ctx context.Context, s *server, messages []backends.Message, think *bool) (string, error) {
	timed, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	sent := make([]message, len(messages))
	for i, m := range messages {
		sent[i] = message(m)
	}
	text, err := s.fold(timed, sent, m.variables(think))
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if errors.Is(err, errUnwritten) {
			return "", err
		}
		return "", m.classify(err)
	}
	return text, servers.LacksTurn(text, messages, "raw")
}

// transcript are the messages of a conversation that nobody writes down, each behind its role.
func transcript(messages []backends.Message) string {
	var text strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&text, "%s: %s\n\n", m.Role, m.Content)
	}
	return text.String() + "assistant:"
}
