// Package storetest lays out stores of Ollama's for tests: files as Ollama writes them, without an Ollama.
package storetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ollama/ollama/types/model"
)

type manifest struct {
	SchemaVersion int     `json:"schemaVersion"`
	MediaType     string  `json:"mediaType"`
	Config        layer   `json:"config"`
	Layers        []layer `json:"layers"`
}

type layer struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int64  `json:"size"`
}

// Add puts a model into the store at folder: the weights, and other layers by the last word of their media type, such
// as "template". It returns the paths of the manifest and of the weights.
func Add(folder, name string, weights []byte, others map[string]string) (manifestPath, weightsPath string, err error) {
	parsed := model.ParseName(name)
	if !parsed.IsValid() {
		return "", "", fmt.Errorf("%q is no model name", name)
	}
	m := manifest{SchemaVersion: 2, MediaType: "application/vnd.docker.distribution.manifest.v2+json"}
	config, _, err := blob(folder, "application/vnd.docker.container.image.v1+json", []byte(`{"model_format":"gguf"}`))
	if err != nil {
		return "", "", err
	}
	model, weightsPath, err := blob(folder, "application/vnd.ollama.image.model", weights)
	if err != nil {
		return "", "", err
	}
	m.Config, m.Layers = config, []layer{model}
	for kind, text := range others {
		other, _, err := blob(folder, "application/vnd.ollama.image."+kind, []byte(text))
		if err != nil {
			return "", "", err
		}
		m.Layers = append(m.Layers, other)
	}
	content, err := json.Marshal(m)
	if err != nil {
		return "", "", err
	}
	manifestPath = filepath.Join(folder, "manifests", parsed.Filepath())
	if err := os.MkdirAll(filepath.Dir(manifestPath), 0o755); err != nil {
		return "", "", err
	}
	return manifestPath, weightsPath, os.WriteFile(manifestPath, content, 0o644)
}

// blob writes one layer.
func blob(folder, mediaType string, content []byte) (layer, string, error) {
	sum := sha256.Sum256(content)
	path := filepath.Join(folder, "blobs", fmt.Sprintf("sha256-%x", sum))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return layer{}, "", err
	}
	return layer{mediaType, fmt.Sprintf("sha256:%x", sum), int64(len(content))}, path, os.WriteFile(path, content, 0o644)
}
