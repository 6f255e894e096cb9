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

// A Converser is a Model behind a server that may write conversations down itself.
type Converser interface {
	// Converses says whether the server has a template for the model; without one Converse is an error.
	Converses() bool
	// Converse returns the text that the model reads when a Request brings these turns and this word on thinking,
	// with the answer's turn opened. That text is to be the Request's Prompt.
	Converse(ctx context.Context, turns []Turn, think *bool) (string, error)
}
