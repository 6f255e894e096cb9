package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
)

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

// digestForm is what a digest may look like; nothing else becomes part of a path.
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
