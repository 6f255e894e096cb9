package backends

import "context"

// A Templated is a Model that was trained on conversations.
type Templated interface {
	// ChatTemplate returns how the model's conversations are written down. Its Text is empty where the model brings
	// no template.
	ChatTemplate() ChatTemplate
}

// ChatTemplate is a template in the Jinja language with the tokens that it may use.
type ChatTemplate struct {
	Text     string
	BOS, EOS string // the text of the tokens that begin and end a text; empty where the model has none
}

// A TemplateArguer is a Converser whose server gives its template variables that people choose.
type TemplateArguer interface {
	// ArgueTemplate has every conversation from now on written down with these variables; their values are those of JSON. It is
	// called before Converse and Generate, and an error where the server does not take them.
	ArgueTemplate(variables map[string]any) error
}

// A Converser is a Model behind a server that may write conversations down itself.
type Converser interface {
	// Converses says for people who has a template for the model, such as "the Ollama server"; empty: nobody has, and
	// Converse is an error.
	Converses() string
	// Converse returns the text that the model reads when a Request brings these messages and this word on thinking, with
	// the answer's turn opened. It is an error where the text leaves a message out.
	Converse(ctx context.Context, messages []Message, think *bool) (string, error)
}

// An Efforter is a Converser whose server takes a reasoning effort.
type Efforter interface {
	// SetEffort sets the reasoning effort of all conversations from now on. A server that takes none refuses the first
	// one.
	SetEffort(effort string)
}
