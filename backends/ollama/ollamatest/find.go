package ollamatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Find returns the path of the Ollama binary: the one that PROCTOR_OLLAMA names, else build/ollama of the repository
// that the working folder lies in.
func Find() (string, error) {
	if path := os.Getenv("PROCTOR_OLLAMA"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("ollamatest: PROCTOR_OLLAMA: %w", err)
		}
		return found, nil
	}
	root, err := root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "build", "ollama")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("ollamatest: no Ollama is built: run make ollama (%w)", err)
	}
	return path, nil
}

// root returns the folder with the repository's go.mod, the working folder or one above it.
func root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("ollamatest: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("ollamatest: the working folder is in no repository: name the binary in PROCTOR_OLLAMA")
		}
		folder = above
	}
}
