package ollamatest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ollama/ollama/manifest"
	"github.com/ollama/ollama/types/model"
)

// AddToStore puts a model into the store at folder, without an Ollama: the weights, and other layers by the last word of their media type, such
// as "template". It returns the paths of the manifest and of the weights.
func AddToStore(folder, name string, weights []byte, others map[string]string) (manifestPath, weightsPath string, err error) {
	parsed := model.ParseName(name)
	if !parsed.IsValid() {
		return "", "", fmt.Errorf("%q is not a model name", name)
	}
	files := map[string][]byte{}
	blob := func(mediaType string, content []byte) (manifest.Layer, string) {
		sum := sha256.Sum256(content)
		path := filepath.Join(folder, "blobs", fmt.Sprintf("sha256-%x", sum))
		files[path] = content
		return manifest.Layer{MediaType: mediaType, Digest: fmt.Sprintf("sha256:%x", sum), Size: int64(len(content))}, path
	}
	m := manifest.Manifest{SchemaVersion: 2, MediaType: "application/vnd.docker.distribution.manifest.v2+json",
		Layers: make([]manifest.Layer, 1)}
	m.Config, _ = blob("application/vnd.docker.container.image.v1+json", []byte(`{"model_format":"gguf"}`))
	m.Layers[0], weightsPath = blob("application/vnd.ollama.image.model", weights)
	for kind, text := range others {
		other, _ := blob("application/vnd.ollama.image."+kind, []byte(text))
		m.Layers = append(m.Layers, other)
	}
	manifestPath = filepath.Join(folder, "manifests", parsed.Filepath())
	if files[manifestPath], err = json.Marshal(m); err != nil {
		return "", "", err
	}
	for path, content := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			return "", "", err
		}
	}
	return manifestPath, weightsPath, nil
}
