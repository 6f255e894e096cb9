package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/ollama/ollama/types/model"
)

// A Model is what a name of the store means.
type Model struct {
	Path    string // of the GGUF file with its weights
	Adapter bool   // it has a LoRA adapter: the weights alone are another model
}

// maxManifest is far more than any manifest has, in bytes.
const maxManifest = 4 << 20

// open reads a model's manifest and looks for the weights. The error wraps [fs.ErrNotExist] only where there is no
// manifest.
func open(folder string, name model.Name) (Model, error) {
	manifest := filepath.Join(folder, "manifests", name.Filepath())
	content, err := readSmall(manifest)
	if err != nil {
		return Model{}, denied(manifest, err)
	}
	shown := name.DisplayShortest()
	list, err := parseManifest(content)
	if err != nil {
		return Model{}, fmt.Errorf("ollama store: %s: %w; `ollama pull %s` fetches it again", manifest, err, shown)
	}
	layers := list.byType()
	weights, there := layers[mediaWeights]
	if !there {
		return Model{}, fmt.Errorf("ollama store: %s has no GGUF file: it is not a language model, or one in another format", shown)
	}
	path := weights.path(folder)
	if err := whole(path, weights.Size); err != nil {
		return Model{}, fmt.Errorf("%w; `ollama pull %s` fetches what is missing", err, shown)
	}
	_, adapted := layers[mediaAdapter]
	return Model{path, adapted}, nil
}

// readSmall reads a manifest.
func readSmall(path string) ([]byte, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() || stat.Size() > maxManifest {
		return nil, fmt.Errorf("ollama store: %s is not a manifest", path)
	}
	return os.ReadFile(path)
}

// whole checks that a blob is there, readable and has the bytes that its manifest says.
func whole(path string, size int64) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ollama store: the file of the weights, %s, is missing", path)
	}
	if err != nil {
		return denied(path, err)
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	if stat.Size() != size {
		return fmt.Errorf("ollama store: %s has %d bytes, its manifest says %d", path, stat.Size(), size)
	}
	return nil
}

// denied says what to do where a file may not be read; other errors stay as they are.
func denied(path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("ollama store: %s may not be read by this user: join the group that owns it (`sudo usermod -aG ollama $USER`, "+
		"then log in again), or name another store in OLLAMA_MODELS: %w",
		path, fs.ErrPermission)
}

// The media types of layers, as Ollama names them.
const (
	mediaWeights = "application/vnd.ollama.image.model"
	mediaAdapter = "application/vnd.ollama.image.adapter"
)

// manifest is a model's list of layers.
type manifest struct {
	Layers []layer `json:"layers"`
}

type layer struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"` // sha256:HEX
	Size      int64  `json:"size"`   // bytes
}

// path is the layer's file in the store at folder.
func (l layer) path(folder string) string {
	return filepath.Join(folder, "blobs", "sha256-"+l.Digest[len("sha256:"):])
}

// digestForm matches valid digests; nothing else becomes part of a path.
var digestForm = regexp.MustCompile(`^sha256[:-][0-9a-fA-F]{64}$`)

// parseManifest reads and checks a manifest.
func parseManifest(content []byte) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return manifest{}, fmt.Errorf("not a manifest: %w", err)
	}
	if len(m.Layers) == 0 {
		return manifest{}, errors.New("not a manifest: it lists no layers")
	}
	for _, l := range m.Layers {
		switch {
		case !digestForm.MatchString(l.Digest):
			return manifest{}, fmt.Errorf("not a manifest: %q is not a layer's digest", l.Digest)
		case l.Size < 0:
			return manifest{}, fmt.Errorf("not a manifest: a layer of %d bytes", l.Size)
		}
	}
	return m, nil
}

// byType returns the last layer of each media type, the one that Ollama takes too.
func (m manifest) byType() map[string]layer {
	found := map[string]layer{}
	for _, l := range m.Layers {
		found[l.MediaType] = l
	}
	return found
}
