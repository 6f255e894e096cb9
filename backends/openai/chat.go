package openai

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"proctor/backends"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// ArgueTemplate implements [backends.TemplateArguer].
func (m *Model) ArgueTemplate(variables map[string]any) error {
	if of := m.first.known().kind; of == ollama || of.service {
		return fmt.Errorf("%s: %s at %s gives its chat templates no variables: bring a template with %s, or "+
			"leave the flag out", setting.TemplateArg, of.name, m.first.Name(), setting.ChatTemplate.As("@FILE"))
	}
	m.given = variables
	return nil
}

// Converses implements [backends.Converser].
func (m *Model) Converses() string { return "the server" }

// SetEffort implements [backends.Efforter].
func (m *Model) SetEffort(effort string) { m.effort = effort }

// Converse implements [backends.Converser]: it has a server write the conversation down. What cannot do that gets the messages
// alone, and the text is they, each behind its role.
func (m *Model) Converse(ctx context.Context, messages []backends.Message, think *bool) (string, error) {
	m.conversed = true
	text, err := m.write(ctx, m.first, messages, m.variables(think, m.effort))
	switch {
	case errors.Is(err, errUnwritten):
		return transcript(messages), nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", m.first.Name(), err)
	}
	if m.effort != "" {
		without := m.variables(think, m.effort)
		delete(without, effortVariable)
		if m.writesSame(ctx, messages, without, text) {
			return "", fmt.Errorf("the chat template at %s reads no reasoning_effort: leave %s out",
				m.first.Name(), setting.ReasoningEffort)
		}
	}
	if err := m.checkVariables(ctx, messages, think, text); err != nil {
		return "", err
	}
	if of := m.first.known().kind; think != nil && of.service {
		return "", fmt.Errorf("%s: %s at %s has no switch for thinking: %s says how hard its models think", setting.Think, of.name, m.first.Name(),
			setting.ReasoningEffort)
	}
	if think != nil && m.first.known().kind == ollama && m.options.Body.has("reasoning_effort") {
		return "", fmt.Errorf("%s is Ollama's reasoning_effort, which %s gives too: leave one of them out", setting.Think, setting.ExtraBody)
	}
	if think != nil {
		opposite := !*think
		if m.writesSame(ctx, messages, m.variables(&opposite, m.effort), text) {
			return "", fmt.Errorf("the chat template at %s has no switch for thinking: leave it on auto", m.first.Name())
		}
	}
	return text, nil
}

// checkVariables refuses a variable that people gave where a conversation's text is the same without it and with another value.
func (m *Model) checkVariables(ctx context.Context, messages []backends.Message, think *bool, text string) error {
	all := m.variables(think, m.effort)
	for name := range m.given {
		without, otherwise := maps.Clone(all), maps.Clone(all)
		delete(without, name)
		on, isSwitch := all[name].(bool)
		otherwise[name] = "another value"
		if isSwitch {
			otherwise[name] = !on
		}
		if m.writesSame(ctx, messages, without, text) && m.writesSame(ctx, messages, otherwise, text) {
			return fmt.Errorf("the chat template at %s writes the same with and without %s: check its spelling, or leave it out",
				m.first.Name(), setting.TemplateArg.As(name))
		}
	}
	return nil
}

func (m *Model) writesSame(ctx context.Context, messages []backends.Message, variables map[string]any, text string) bool {
	other, err := m.write(ctx, m.first, messages, variables)
	return err == nil && other == text
}

// write has a server write a conversation down, and refuses a text that leaves a message out.
func (m *Model) write(ctx context.Context, s *server, messages []backends.Message, variables map[string]any) (string, error) {
	timed, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	text, err := s.fold(timed, sent(messages), variables)
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
