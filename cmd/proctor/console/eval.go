package console

import (
	"fmt"

	"proctor/backends/registry"
	"proctor/prompts/chat"
	"proctor/runner/ask/form"
	"proctor/runner/ask/spec"
)

// TemplateCommand has this program render chat templates for a [chat.Process].
const TemplateCommand = "template"

// FormOf is the form in which a model gets its prompts.
func FormOf(p *spec.Prompts) (form.Form, error) {
	f := form.Form{
		Mode: p.Prompt, Think: p.Thinks(), Effort: p.Effort, Builtin: p.ChatTemplate.Builtin(), Write: registry.BuiltinTemplate,
		File: p.ChatTemplate.Text, FileName: p.ChatTemplate.Name(), Arguments: p.TemplateArgs.Arguments,
		Render: (&chat.Process{Args: []string{"proctor", TemplateCommand}}).Render,
	}
	if value, both := f.Arguments["enable_thinking"]; both && f.Think != nil {
		return f, fmt.Errorf("--think sets enable_thinking too: give it or --template-arg enable_thinking=%v", value)
	}
	if f.File != "" {
		if _, err := chat.Parse(f.FileName, f.File, f.Render); err != nil {
			return f, fmt.Errorf("--chat-template: %w", err)
		}
	}
	return f, nil
}
