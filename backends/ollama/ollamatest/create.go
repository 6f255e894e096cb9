package ollamatest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ollama/ollama/api"
)

// Create makes a model of a GGUF file, as `ollama create` does. Template is Ollama's own kind of chat template; where
// it is empty, Ollama chooses one by what the file carries.
func (s *Server) Create(ctx context.Context, name, gguf, template string) error {
	client := s.Client()
	digest, err := upload(ctx, client, gguf)
	if err != nil {
		return fmt.Errorf("ollamatest: create %s: %w", name, err)
	}
	request := &api.CreateRequest{Model: name, Files: map[string]string{filepath.Base(gguf): digest}, Template: template}
	if err := client.Create(ctx, request, func(api.ProgressResponse) error { return nil }); err != nil {
		return fmt.Errorf("ollamatest: create %s: %w", name, err)
	}
	return nil
}

// upload gives the server a file and returns its digest.
func upload(ctx context.Context, client *api.Client, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	digest := fmt.Sprintf("sha256:%x", hash.Sum(nil))
	return digest, client.CreateBlob(ctx, digest, file)
}
