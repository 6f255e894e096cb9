package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ollama/ollama/envconfig"
	"github.com/ollama/ollama/types/model"
)

// serviceFolder is where the service that Ollama's installer sets up on Linux keeps its models.
const serviceFolder = "/usr/share/ollama/.ollama/models"

// A Store is Ollama's models on this machine: one folder, or several that are looked through in order.
type Store struct {
	Folders []string // each with manifests and blobs; they need not exist
}

// Local is the store of this machine: $OLLAMA_MODELS, else the user's own and the system service's.
func Local() Store {
	if folder := envconfig.Var("OLLAMA_MODELS"); folder != "" {
		return Store{[]string{folder}}
	}
	var s Store
	if home, err := os.UserHomeDir(); err == nil {
		s.Folders = append(s.Folders, filepath.Join(home, ".ollama", "models"))
	}
	return Store{append(s.Folders, serviceFolder)}
}

// ErrNotFound is wrapped by the error of Find if the store has no model with the name.
var ErrNotFound = errors.New("no such model")

// ErrName is wrapped by the error of Find where the name cannot be one.
var ErrName = errors.New("not a model's name")

// Find returns the model that Ollama would take for name, such as llama3, llama3:8b, someone/llama3 or
// hf.co/someone/llama3-GGUF:Q4_K_M. A model whose file of weights is missing or may not be read is an error that says
// so.
func (s Store) Find(name string) (Model, error) {
	wanted := model.ParseName(name)
	if !wanted.IsValid() {
		return Model{}, fmt.Errorf("ollama store: %q: %w: give NAME[:TAG], NAMESPACE/NAME[:TAG] or HOST/NAMESPACE/NAME[:TAG]",
			name, ErrName)
	}
	var broken error
	for _, folder := range s.Folders {
		found, err := open(folder, wanted)
		if err == nil {
			return found, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			broken = cmp.Or(broken, err)
		}
	}
	if broken != nil {
		return Model{}, broken
	}
	return Model{}, fmt.Errorf(
		"ollama store: %s: %w in %s: `ollama list` shows what is there, `ollama pull %s` fetches it",
		wanted.DisplayShortest(), ErrNotFound, strings.Join(s.Folders, " or "), name)
}

// Blob returns the path of the readable file with this SHA-256, in hexadecimal, under whatever names it is used.
func (s Store) Blob(sha256 string) (path string, there bool) {
	blob := layer{Digest: "sha256:" + sha256}
	if !digestForm.MatchString(blob.Digest) {
		return "", false
	}
	for _, folder := range s.Folders {
		if file, err := os.Open(blob.path(folder)); err == nil {
			file.Close()
			return blob.path(folder), true
		}
	}
	return "", false
}
