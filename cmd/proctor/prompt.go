package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"proctor/backends"
	"proctor/backends/open"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/runner"
)

// auto is what flags call the choice that depends on the model.
const auto = "auto"

// promptFlags say in which form a model gets its prompts.
func promptFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "prompt", Value: runner.PromptRaw, Usage: "`MODE` raw (the model continues the text), chat (through its chat template, in one user turn), turns (each shot in turns of its own) or auto (chat where the model has a template, else raw)", Category: "EXAM"},
		&cli.StringFlag{Name: "chat-template", Usage: "take llama.cpp's built-in chat template `NAME`, such as chatml, instead of the model's own", Category: "EXAM"},
		&cli.StringFlag{Name: "think", Value: auto, Usage: "`MODE` on, off, or auto for the model's default: thinking, where its chat template knows it", Category: "EXAM"},
	}
}

// dialogueOf reads in which form the prompts are to be; nil for raw ones. The template is that of the server where the
// model is a [backends.Converser], else the model's own where it is a [backends.Templated]; one that prints the date
// prints that of the given time.
func dialogueOf(c *cli.Context, model any, now time.Time) (*prompts.Dialogue, error) {
	thinking, err := thinkingOf(c)
	if err != nil {
		return nil, err
	}
	builtin := builtinTemplate(c.String("chat-template"))
	var template backends.ChatTemplate
	if templated, ok := model.(backends.Templated); ok {
		template = templated.ChatTemplate()
	}
	converser, served := model.(backends.Converser)
	served = served && converser.Converses() && builtin == ""
	mode := c.String("prompt")
	switch {
	case mode != runner.PromptRaw && mode != runner.PromptChat && mode != runner.PromptTurns && mode != auto:
		return nil, fmt.Errorf("--prompt %s: there are %s, %s, %s and %s", mode, runner.PromptRaw, runner.PromptChat, runner.PromptTurns, auto)
	case mode == auto && template.Text == "" && builtin == "" && !served:
		mode = runner.PromptRaw
	case mode == auto:
		mode = runner.PromptChat
	}
	if mode == runner.PromptRaw {
		if thinking != nil {
			return nil, fmt.Errorf("--think %s needs a chat prompt: raw prompts have no template that knows it", c.String("think"))
		}
		if builtin != "" {
			return nil, fmt.Errorf("--chat-template %s needs --prompt %s or %s", builtin, runner.PromptChat, runner.PromptTurns)
		}
		return nil, nil
	}
	dialogue := &prompts.Dialogue{
		Options: chat.Options{BOS: template.BOS, EOS: template.EOS, EnableThinking: thinking, Now: now},
		Turns:   mode == runner.PromptTurns,
	}
	if builtin != "" {
		dialogue.Template, dialogue.Named = builtin, "llama.cpp's built-in "+string(builtin)
		return dialogue, nil
	}
	if served {
		return dialogue, byServer(c.Context, dialogue, converser, template.Text)
	}
	if template.Text == "" {
		return nil, errors.New("--prompt " + mode + ": the model has no chat template; take --prompt raw, or name a built-in one with --chat-template")
	}
	parsed, err := chat.Parse(template.Text)
	if err != nil {
		return nil, fmt.Errorf("%w; --chat-template names a built-in one to take instead", err)
	}
	dialogue.Template = parsed
	return dialogue, nil
}

// thinkingOf reads --think; nil leaves it to the model.
func thinkingOf(c *cli.Context) (*bool, error) {
	switch think := cmp.Or(c.String("think"), auto); think {
	case "on", "off":
		on := think == "on"
		return &on, nil
	case auto:
		return nil, nil
	default:
		return nil, fmt.Errorf("--think %s: there are on, off and %s", think, auto)
	}
}

// builtinTemplate is one of llama.cpp's own chat templates, by its name.
type builtinTemplate string

// Fold implements [prompts.Template].
func (b builtinTemplate) Fold(messages []chat.Message, o chat.Options) (chat.Rendering, error) {
	if o.EnableThinking != nil {
		return chat.Rendering{}, chat.ErrThinkingUnknown
	}
	turns := make([]backends.Turn, len(messages))
	for i, m := range messages {
		turns[i] = backends.Turn{Role: m.Role, Content: m.Content}
	}
	text, err := open.BuiltinTemplate(string(b), turns)
	return chat.Rendering{Text: text}, err
}
