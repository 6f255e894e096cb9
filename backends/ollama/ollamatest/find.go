package ollamatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Find returns the path of the Ollama binary: the one that PROCTOR_OLLAMA names, else build/ollama in the working folder or one
// above it.
func Find() (string, error) {
	if path := os.Getenv("PROCTOR_OLLAMA"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("ollamatest: PROCTOR_OLLAMA: %w", err)
		}
		return found, nil
	}
	folder, err := os.Getwd()
	for below := ""; err == nil && folder != below; folder, below = filepath.Dir(folder), folder {
		path := filepath.Join(folder, "build", "ollama")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("ollamatest: no Ollama is built: run make ollama, or name the binary in PROCTOR_OLLAMA")
}
