package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	entries, problems := s.entries()
	var broken error
	for _, e := range entries {
		if e.name.EqualFold(wanted) {
			found, err := e.open()
			if err == nil {
				return found, nil
			}
			broken = cmp.Or(broken, err)
		}
	}
	if broken != nil {
		return Model{}, broken
	}
	err := fmt.Errorf("ollama store: %s: %w; %s; `ollama pull %s` fetches it",
		wanted.DisplayShortest(), ErrNotFound, s.offer(entries), name)
	for _, problem := range problems { // it may be there
		err = fmt.Errorf("%w; %w", err, problem)
	}
	return Model{}, err
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

// List returns the models by name, the first folder's first, and what keeps others from being listed.
func (s Store) List() (models []Model, problems []error) {
	entries, problems := s.entries()
	for _, e := range entries {
		found, err := e.open()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		models = append(models, found)
	}
	return models, problems
}

// entries looks through the folders for manifests. A folder that is not there has none.
func (s Store) entries() (found []entry, problems []error) {
	for _, folder := range s.Folders {
		manifests := filepath.Join(folder, "manifests")
		var here []entry
		// The walk itself cannot fail: what goes wrong on it is gathered.
		fs.WalkDir(os.DirFS(manifests), ".", func(path string, item fs.DirEntry, err error) error {
			name := model.ParseNameFromFilepath(filepath.FromSlash(path))
			switch {
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				problems = append(problems, denied(filepath.Join(manifests, path), err))
			case err == nil && !item.IsDir() && name.IsValid():
				here = append(here, entry{folder, name})
			}
			return nil
		})
		slices.SortFunc(here, func(a, b entry) int { return cmp.Compare(a.name.DisplayShortest(), b.name.DisplayShortest()) })
		found = append(found, here...)
	}
	return found, problems
}

// maxOffered is how many names an error lists.
const maxOffered = 12

// offer says for an error what is there.
func (s Store) offer(entries []entry) string {
	where := strings.Join(s.Folders, " and ")
	if len(entries) == 0 {
		return where + ": no models there"
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name.DisplayShortest()
	}
	return "there are " + Some(names)
}

// Some lists the first of names in an error, and says how many there are more.
func Some(names []string) string {
	shown := names[:min(maxOffered, len(names))]
	list := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
