package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"proctor/backends/ollama/ollamatest"
)

// TestOllamasProtocolAnswersAsTheEngineDoes asks the same file the same questions by a real server, over OpenAI's protocol, and
// in-process. The server gets a key and a password, which nothing that the run leaves may have.
func TestOllamasProtocolAnswersAsTheEngineDoes(t *testing.T) {
	server := ollamatest.New(t, ollamatest.Options{Parallel: 2, Env: []string{"OLLAMA_FLASH_ATTENTION=0", "OLLAMA_CONTEXT_LENGTH=8192"}})
	// It puts a prompt into the model's template where there is one.
	if err := server.Create(t.Context(), "control", modelPath(t), "{{ .Prompt }}"); err != nil {
		t.Fatal(err)
	}
	// The protocol cannot switch Ollama's own penalty off.
	err := server.Client().Create(t.Context(), &api.CreateRequest{
		Model: "plain", From: "control", Parameters: map[string]any{"repeat_penalty": 1.0},
	}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	const key, password = "sk-of-the-test-1", "pa55word"
	t.Setenv("OPENAI_API_KEY", key)
	t.Setenv("OPENAI_BASE_URL", "http://me:"+password+"@"+server.Host()+"/v1")
	folder := t.TempDir()
	served, inProcess := filepath.Join(folder, "served"), filepath.Join(folder, "in-process")
	limit := "56"
	common := []string{"run", "--quiet", "--limit", limit, "--max-tokens", "256", "--out"}
	run(t, append(slices.Clone(common), served, "--model", "openai:plain", "--concurrency", "1", "--verbose")...)
	run(t, append(slices.Clone(common), inProcess, "--model", "embedded", "--slots", "1", "--threads", "1")...)
	compareItems(t, loaded(t, served), loaded(t, inProcess))
	notes := strings.Join(loaded(t, served).Header.Notes, " ")
	if !strings.Contains(notes, "a prompt counts as cut where it fills the context of 8192") {
		t.Errorf("the journal does not say what the server cannot do: %q", notes)
	}
	err = filepath.WalkDir(served, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range []string{key, password} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s has %s", path, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
