package registry

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"proctor/backends/embedded"
	"proctor/backends/gguf"
	"proctor/backends/ollama/store"
)

// Weights are the files of a model, to take it elsewhere.
type Weights struct {
	*gguf.File
	Names []string // for its parts: their own, or after the name that Ollama knows the model by
}

// FindWeights finds the files of the model that a reference means and reads their headers; those of an Ollama model lie in
// the local store. The control model has none, every copy of the program carries it.
func FindWeights(ref string) (Weights, error) {
	if ref == embedded.Ref {
		return Weights{}, fmt.Errorf("%s: the control model is part of the program: leave it out", ref)
	}
	name, isStored := strings.CutPrefix(ref, ollamaPrefix)
	if isStored {
		if found, err := store.Local().Find(name); err == nil && found.Adapter {
			return Weights{}, fmt.Errorf("%s has a LoRA adapter, without which it is another model: it cannot be taken along", ref)
		}
	}
	file, err := File(ref)
	if err != nil {
		return Weights{}, err
	}
	found := Weights{File: file}
	for _, part := range file.Parts {
		found.Names = append(found.Names, filepath.Base(part))
	}
	if isStored { // blobs are named after their digest, and never split
		found.Names = []string{strings.NewReplacer("/", "-", ":", "-").Replace(name) + ".gguf"}
	}
	return found, nil
}

// WeightsIn reads the headers of the model at a path within files, such as those of a bundle, and says how many bytes all its parts
// have.
func WeightsIn(files fs.FS, path string) (bytes int64, err error) {
	file, err := gguf.OpenIn(files, path)
	if err != nil {
		return 0, err
	}
	return file.Size, nil
}
