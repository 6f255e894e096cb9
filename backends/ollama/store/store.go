// Package store reads Ollama's local model store: in which file a model's weights lie.
//
// A store is a folder of two folders. manifests holds a JSON file for each model, as
// manifests/HOST/NAMESPACE/NAME/TAG, which lists the model's layers by media type, digest and size; blobs holds each
// layer under its digest, as blobs/sha256-HEX. The layer of the weights is a GGUF file. The tag of a name is "latest"
// where none is given.
//
// The package reads files only: it needs no server, writes nothing and speaks no HTTP. Neighbours: package gguf reads
// the blob's header, package llamacpp runs it, package ollama asks a server instead.
package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ollama/ollama/envconfig"
	"github.com/ollama/ollama/manifest"
	"github.com/ollama/ollama/types/model"
)

// serviceFolder is where the service that Ollama's installer sets up on Linux keeps its models.
const serviceFolder = "/usr/share/ollama/.ollama/models"

// A Store is Ollama's models on this machine: one folder, or several that are looked through in order.
type Store struct {
	Folders []string // each with manifests and blobs; they need not exist
}

// A Model is what a name of the store means.
type Model struct {
	Path    string // of the GGUF file with its weights
	Adapter bool   // it has a LoRA adapter: the weights alone are another model
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

var (
	// ErrNotFound is wrapped by the error of Find if the store has no model with the name.
	ErrNotFound = errors.New("no such model")
	// ErrName is wrapped by the error of Find where the name cannot be one.
	ErrName = errors.New("not a model's name")
)

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
	digest := "sha256:" + sha256
	if !digestForm.MatchString(digest) {
		return "", false
	}
	for _, folder := range s.Folders {
		if file, err := os.Open(blob(folder, digest)); err == nil {
			file.Close()
			return blob(folder, digest), true
		}
	}
	return "", false
}

const (
	mediaWeights = "application/vnd.ollama.image.model" // media types of layers
	mediaAdapter = "application/vnd.ollama.image.adapter"
	maxManifest  = 4 << 20 // bytes, far more than any has
)

// digestForm matches valid digests; nothing else becomes part of a path.
var digestForm = regexp.MustCompile(`^sha256[:-][0-9a-fA-F]{64}$`)

// blob is a layer's file in the store at folder.
func blob(folder, digest string) string {
	return filepath.Join(folder, "blobs", "sha256-"+digest[len("sha256:"):])
}

// open reads a model's manifest and looks for the weights. The error wraps [fs.ErrNotExist] only where there is no
// manifest.
func open(folder string, name model.Name) (found Model, err error) {
	path, shown := filepath.Join(folder, "manifests", name.Filepath()), name.DisplayShortest()
	stat, err := os.Stat(path)
	if err != nil {
		return Model{}, denied(path, err)
	}
	if !stat.Mode().IsRegular() || stat.Size() > maxManifest {
		return Model{}, fmt.Errorf("ollama store: %s is not a manifest", path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Model{}, denied(path, err)
	}
	layers, err := layersIn(content)
	if err != nil {
		return Model{}, fmt.Errorf("ollama store: %s: not a manifest: %w; `ollama pull %s` fetches it again", path, err,
			shown)
	}
	size := int64(-1)
	for _, l := range layers { // of two of a type Ollama takes the last, too
		switch l.MediaType {
		case mediaWeights:
			found.Path, size = blob(folder, l.Digest), l.Size
		case mediaAdapter:
			found.Adapter = true
		}
	}
	if found.Path == "" {
		return Model{}, fmt.Errorf("ollama store: %s has no GGUF file: it is not a language model, or one in another format",
			shown)
	}
	file, err := os.Open(found.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return Model{}, fmt.Errorf("ollama store: the file of the weights, %s, is missing; `ollama pull %s` fetches it",
			found.Path, shown)
	}
	if err != nil {
		return Model{}, denied(found.Path, err)
	}
	defer file.Close()
	if stat, err = file.Stat(); err == nil && stat.Size() != size {
		err = fmt.Errorf("ollama store: %s has %d bytes, its manifest says %d; `ollama pull %s` fetches what is missing",
			found.Path, stat.Size(), size, shown)
	}
	return found, err
}

// layersIn are the layers of a manifest, all with a digest and a size.
func layersIn(content []byte) ([]manifest.Layer, error) {
	var m manifest.Manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return nil, err
	}
	if len(m.Layers) == 0 {
		return nil, errors.New("it lists no layers")
	}
	for _, l := range m.Layers {
		switch {
		case !digestForm.MatchString(l.Digest):
			return nil, fmt.Errorf("%q is not a layer's digest", l.Digest)
		case l.Size < 0:
			return nil, fmt.Errorf("a layer of %d bytes", l.Size)
		}
	}
	return m.Layers, nil
}

// denied says what to do where a file may not be read; other errors stay as they are.
func denied(path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("ollama store: %s may not be read by this user: join the group that owns it (`sudo usermod -aG "+
		"ollama $USER`, then log in again), or name another store in OLLAMA_MODELS: %w", path, fs.ErrPermission)
}
