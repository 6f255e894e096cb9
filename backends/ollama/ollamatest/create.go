package ollamatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ollama/ollama/api"
)

// Create makes a model of a GGUF file, as `ollama create` does. Template is Ollama's own kind of chat template; where
// it is empty, Ollama chooses one by what the file carries. One thread computes: several would wait for each other at each step, for as
// long as a busy machine runs something else.
func (s *Server) Create(ctx context.Context, name, gguf, template string) error {
	content, err := os.ReadFile(gguf)
	client, digest := s.Client(), fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	if err == nil {
		err = client.CreateBlob(ctx, digest, bytes.NewReader(content))
	}
	if err == nil {
		request := &api.CreateRequest{
			Model: name, Files: map[string]string{filepath.Base(gguf): digest}, Template: template, Parameters: map[string]any{"num_thread": 1},
		}
		err = client.Create(ctx, request, func(api.ProgressResponse) error { return nil })
	}
	if err != nil {
		return fmt.Errorf("ollamatest: create %s: %w", name, err)
	}
	return nil
}
