package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/ollama"
	"proctor/backends/ollama/store"
	"proctor/backends/openai"
	"proctor/backends/setting"
)

// Header reads the header of the GGUF file that a reference means; that of an Ollama model lies in the local store.
// Behind it, the file may be cut short.
func Header(ref string) (*gguf.File, error) {
	b, err := backendOf(ref)
	if err != nil {
		return nil, err
	}
	path, err := b.file(ref)
	if err != nil {
		return nil, err
	}
	return gguf.OpenHeader(path)
}

// File is [Header] that refuses a file which is cut short, or has no model that answers.
func File(ref string) (*gguf.File, error) {
	file, err := Header(ref)
	if err == nil {
		err = file.Cut
	}
	if err == nil {
		err = file.Answers()
	}
	return file, err
}

// Find refuses a reference to a file that is not there, or that is cut short. What a server has is known after the
// first request.
func Find(ref string) error {
	b, err := backendOf(ref)
	if err != nil || b.reads { // only servers do
		return err
	}
	_, err = File(ref)
	return err
}

// An Inspection holds what a model's file says about the model.
type Inspection struct {
	backends.ModelInfo
	ChatTemplate bool              `json:"chat_template"`
	OpenedBy     string            `json:"opened_by,omitempty"`  // the engine that a run takes
	NotOpened    string            `json:"not_opened,omitempty"` // why none does
	Problems     []string          `json:"problems,omitempty"`   // what the file lacks, and what a run makes of it
	About        map[string]string `json:"about,omitempty"`      // the model card
}

// Card are the keys of a model card that files have, in their order for people.
var Card = []string{"author", "license", "description", "url"}

// Inspect says which model a file holds, and which engine opens it; the options have how the user named both.
func Inspect(ctx context.Context, file *gguf.File, o Options) (Inspection, error) {
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
	found := Inspection{
		ModelInfo: llamacpp.Describe(file, o.Model, sum), ChatTemplate: file.ChatTemplate() != "", About: about,
	}
	if other := file.Answers(); other != nil {
		found.NotOpened = other.Error()
		return found, nil
	}
	refused := cmp.Or(file.Cut, file.Validate())
	if engine, err := newOpeners(o.Engines, o.Engine).of(ctx, file); err != nil {
		found.NotOpened = err.Error()
	} else {
		found.OpenedBy, found.SplitAsDefault = nameOf(engine), splitAsDefault(file)
		if refused == nil {
			refused = engines.Check(ctx, engine.Folder, file.Path)
		}
	}
	if refused != nil {
		found.Problems = append(found.Problems, refused.Error()+"; a run refuses it")
	}
	if file.ChatTemplate() == "" {
		found.Problems = append(found.Problems, fmt.Sprintf("the file has no chat template (tokenizer.chat_template): "+
			"a run asks with raw prompts, and refuses %s unless %s gives one", setting.Prompt.As("chat"), setting.ChatTemplate))
	}
	for _, why := range []string{endless(file), found.SplitAsDefault} {
		if why != "" {
			found.Problems = append(found.Problems, why)
		}
	}
	return found, ctx.Err()
}

// endless is the warning of a file that names no token that ends a text; "" for others.
func endless(file *gguf.File) string {
	tokens := file.Len("tokenizer.ggml.tokens")
	if end, named := file.Int("tokenizer.ggml.eos_token_id"); tokens == 0 || named && 0 <= end && end < tokens {
		return ""
	}
	return "the file names no token that ends a text (tokenizer.ggml.eos_token_id): llama.cpp takes one of its own " +
		"choice, and completions may go on to their cap, or end too early"
}

// FindWeights finds the files of the model that a reference means, to take it elsewhere, and their names there: their
// own, or after the name that Ollama knows the model by. The control model has none, every copy of the program carries
// it.
func FindWeights(ref string) (parts, names []string, err error) {
	if ref == embedded.Ref {
		return nil, nil, fmt.Errorf("%s: the control model is part of the program: leave it out", ref)
	}
	name, isStored := strings.CutPrefix(ref, ollama.Prefix)
	if isStored {
		if found, err := store.Local().Find(name); err == nil && found.Adapter {
			return nil, nil, fmt.Errorf("%s has a LoRA adapter, without which it is another model: it cannot be taken along",
				ref)
		}
	}
	file, err := File(ref)
	if err != nil {
		return nil, nil, err
	}
	if isStored { // blobs are named after their digest, and never split
		return file.Parts, []string{strings.NewReplacer("/", "-", ":", "-").Replace(name) + ".gguf"}, nil
	}
	for _, part := range file.Parts {
		names = append(names, filepath.Base(part))
	}
	return file.Parts, names, nil
}

// pathItself refuses a file that is not there, and suggests what may be meant, since people leave out the "ollama:".
func pathItself(ref string) (string, error) {
	if _, err := os.Stat(ref); !errors.Is(err, fs.ErrNotExist) {
		return ref, nil
	}
	if strings.HasSuffix(ref, ".gguf") || filepath.Base(ref) != ref {
		return "", fmt.Errorf("%s: no such file: give the path of a .gguf file; `proctor models %s` lists those in a folder",
			ref, setting.Command(filepath.Dir(ref)))
	}
	if _, err := storedFile(ref); err == nil {
		return "", fmt.Errorf("%s: no such file: Ollama has a model of that name, %s", ref, ollama.Prefix+ref)
	}
	return "", fmt.Errorf("%s: no such file: give the path of a .gguf file, %s for a model that Ollama has, or %s; "+
		"`proctor models` lists what there is", ref, ollama.Prefix+ref, embedded.Ref)
}

// WithScheme adds the scheme to a reference that lacks it, where the model is said to be at a server.
func WithScheme(ref string, served bool) string {
	named := isOllama(ref) || isOpenAI(ref) || strings.HasPrefix(ref, gollamaPrefix) || ref == embedded.Ref
	if _, err := os.Stat(ref); !served || named || err == nil || strings.HasSuffix(ref, ".gguf") {
		return ref
	}
	return openai.Prefix + ref
}
