package ask

import (
	"fmt"

	"proctor/backends"
	"proctor/prompts"
	"proctor/prompts/chat"
	"proctor/runner/journal"
)

// brings says whether the form has a template to take instead of the model's own.
func (f Form) brings() bool { return f.Builtin != "" || f.File != "" }

// byFile is a dialogue by the template that people wrote.
func (f Form) byFile(d *prompts.Dialogue) (*prompts.Dialogue, error) {
	parsed, err := chat.ParseFile(f.FileName, f.File)
	d.Template, d.Named = parsed, f.FileName
	return d, err
}

// tell gives a server's template the form's arguments.
func (f Form) tell(server backends.Converser) error {
	if len(f.Arguments) == 0 {
		return nil
	}
	if takes, can := server.(backends.TemplateArguer); can {
		return takes.ArgueTemplate(f.Arguments)
	}
	return fmt.Errorf("--template-arg: %s gives its chat templates no variables: bring a template with --chat-template @FILE, or leave "+
		"the flag out", server.Converses())
}

// told puts what people gave the template into a plan's journal.
func (f Form) told(p *Plan) {
	if p.header.PromptMode != PromptRaw {
		p.header.ChatTemplate, p.header.TemplateArguments = journal.SourceOf(f.File), f.Arguments.JSON()
	}
}
