package registry

import (
	"context"

	"proctor/backends"
	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
)

// File reads the header of the GGUF file that a reference means; that of an Ollama model lies in the local store.
func File(ref string) (*gguf.File, error) {
	options := Options{Ref: ref, InProcess: true}
	b, err := options.meant()
	if err != nil {
		return nil, err
	}
	path, err := b.file(ref)
	if err != nil {
		return nil, err
	}
	return gguf.Open(path)
}

// Find refuses a reference to a file that is not there. What a server has is known once it is asked.
func Find(ref string) error {
	options := Options{Ref: ref}
	b, err := options.meant()
	if err != nil || b.reads { // only servers do
		return err
	}
	_, err = b.file(ref)
	return err
}

// An Inspection is what a model's file says of itself.
type Inspection struct {
	backends.ModelInfo
	ChatTemplate bool              `json:"chat_template"`
	OpenedBy     string            `json:"opened_by,omitempty"`  // the engine that a run takes
	NotOpened    string            `json:"not_opened,omitempty"` // why none does
	About        map[string]string `json:"about,omitempty"`      // the model card
}

// Card are the keys of a model card that files have, in their order for people.
var Card = []string{"author", "license", "description", "url"}

// Inspect says which model a file holds, and which engine opens it; ref is how the user named it.
func Inspect(ctx context.Context, file *gguf.File, ref string, store engines.Store) (Inspection, error) {
	engine, why := openers{store: store}.named(ctx, file)
	sum, err := file.SHA256(ctx)
	if err != nil {
		return Inspection{}, err
	}
	about := map[string]string{}
	for _, key := range Card {
		if text := file.Text("general." + key); text != "" {
			about[key] = text
		}
	}
	return Inspection{ModelInfo: llamacpp.Describe(file, ref, sum), ChatTemplate: file.ChatTemplate() != "",
		OpenedBy: engine, NotOpened: why, About: about}, nil
}
