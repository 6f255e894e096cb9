package ollamatest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"proctor/backends/ollama/ollamatest"
	"proctor/scripts/tests/errortest"
)

const model = "control"

// serve starts a server that has the control model.
func serve(t *testing.T, options ollamatest.Options) *ollamatest.Server {
	t.Helper()
	s := ollamatest.New(t, options)
	if err := s.Create(t.Context(), model, filepath.Join("..", "..", "embedded", "control.gguf"), ""); err != nil {
		t.Fatal(err)
	}
	return s
}

// question returns a short greedy request.
func question() *api.GenerateRequest {
	return &api.GenerateRequest{
		Model: model, Raw: true,
		Prompt:  "Question:\nWhat is 2 + 3?\nOptions:\nA. 4\nB. 5\nAnswer: Let's think step by step.",
		Options: map[string]any{"temperature": 0, "num_predict": 8, "num_ctx": 256, "num_thread": 1},
	}
}

// generate returns an answer's text and its last piece.
func generate(ctx context.Context, client *api.Client) (string, api.GenerateResponse, error) {
	var text strings.Builder
	var last api.GenerateResponse
	err := client.Generate(ctx, question(), func(r api.GenerateResponse) error {
		text.WriteString(r.Response)
		last = r
		return nil
	})
	return text.String(), last, err
}

func TestServerAnswersDiesAndComesBack(t *testing.T) {
	s := serve(t, ollamatest.Options{Parallel: 2, Env: []string{"OLLAMA_KEEP_ALIVE=5m"}})
	host := s.Host()
	before, last, err := generate(t.Context(), s.Client())
	if err != nil {
		t.Fatal(err)
	}
	if before == "" || !last.Done || last.PromptEvalCount == 0 || last.EvalCount == 0 {
		t.Errorf("text %q, last piece %+v: want a text and its counts", before, last)
	}
	if log := s.Log(); !strings.Contains(log, "OLLAMA_NUM_PARALLEL:2") || !strings.Contains(log, "OLLAMA_KEEP_ALIVE:5m") {
		t.Errorf("the server has not got its settings; its log: %s", log)
	}

	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil {
		t.Errorf("the second kill: %v", err)
	}
	if left := processes(t, filepath.Dir(s.Models())); len(left) > 0 {
		t.Errorf("left running: %q", left)
	}
	if _, _, err := generate(t.Context(), s.Client()); err == nil {
		t.Error("a killed server answers")
	}

	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context()); err == nil {
		t.Error("a running server is started again")
	}
	after, _, err := generate(t.Context(), s.Client())
	if err != nil || after != before || s.Host() != host {
		t.Errorf("after the restart %s answers %q, %v; before it %s answered %q", s.Host(), after, err, host, before)
	}
}

// processes returns the command lines of those that have folder as their home.
func processes(t *testing.T, folder string) []string {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(environments) == 0 {
		t.Skip("this system has no /proc")
	}
	var found []string
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "HOME="+folder+"\x00") {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, strings.ReplaceAll(string(command), "\x00", " "))
	}
	return found
}

func TestStartSaysWhyAServerEnded(t *testing.T) {
	if _, err := ollamatest.Find(); err != nil {
		t.Skip(err)
	}
	_, err := ollamatest.Start(t.Context(), t.TempDir(), ollamatest.Options{Env: []string{"OLLAMA_MODELS=/dev/null/models"}})
	errortest.For(t, "a server without a folder for models", err, "ended at once", "/dev/null")
}

func TestCreateNamesTheModel(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	bad := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(bad, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), "bad", bad, ""); err == nil || !strings.HasPrefix(err.Error(), "ollamatest: create bad:") {
		t.Errorf("a model of no GGUF file: %v", err)
	}
	if err := s.Create(t.Context(), "none", bad+".none", ""); err == nil {
		t.Error("a model of no file is made")
	}
}

func TestFindNamesTheRemedy(t *testing.T) {
	t.Setenv("PROCTOR_OLLAMA", filepath.Join(t.TempDir(), "ollama"))
	_, err := ollamatest.Find()
	errortest.For(t, "a binary that is not there", err, "PROCTOR_OLLAMA")
	t.Setenv("PROCTOR_OLLAMA", "")
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "go.mod"), []byte("module empty\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(empty)
	_, err = ollamatest.Find()
	errortest.For(t, "a repository without a built server", err, "make ollama")
}
