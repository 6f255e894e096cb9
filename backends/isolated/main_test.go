//go:build unix

package isolated

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/backendtest"
	"proctor/backends/child"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/sharedtest"
)

var scratch string

// TestMain is the engine's process, too, and a parent of one that gets lost.
func TestMain(m *testing.M) {
	child.Main(child.Task{Name: Task.Name, Do: func(parent *child.Conn) { serve(parent, openFaulty) }})
	if path := os.Getenv(orphanVariable); path != "" {
		leaveAnOrphan(path)
	}
	var err error
	if scratch, err = os.MkdirTemp("", "isolated"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sharedtest.Waiting()
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// write writes a model with random weights.
func write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.gguf")
	assert.NilError(t, llamatest.Write(path, llamatest.Model{
		Name: "tiny", Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Values: map[string]any{"general.sampling.temp": float32(0.6), "general.sampling.top_k": int32(20)},
		Shape:  llamatest.Shape{Width: 256, Heads: 8, KVHeads: 8, Inner: 256, Layers: 2, Context: 512},
	}))
	return path
}

func options(path string) llamacpp.Options {
	return llamacpp.Options{Settings: backends.Settings{Model: "tiny", Threads: 1}, Path: path}
}

func open(t *testing.T, o llamacpp.Options) *Model {
	t.Helper()
	return ready(t, &Model{options: o, patience: defaultPatience})
}

// ready opens a model until the test ends.
func ready(t *testing.T, m *Model) *Model {
	t.Helper()
	_, err := m.open(t.Context())
	assert.NilError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// questions are requests that share a beginning.
func questions(n int) []backends.Request {
	var all []backends.Request
	for i := range n {
		all = append(all, backends.Request{
			ID: fmt.Sprintf("item/%d", i), Prompt: strings.Repeat("Shots. ", 8) + fmt.Sprintf("Question %d:", i), MaxTokens: 12 + i%5*4,
		})
	}
	return all
}

// answers returns the completions of requests, by their ids, without their times.
func answers(t *testing.T, m backends.Model, requests []backends.Request, each func(done int)) map[string]backends.Completion {
	t.Helper()
	all := backendtest.Answers(t, m, requests, each)
	for id, c := range all {
		c.Timing, c.Usage.ReusedTokens = backends.Timing{}, 0
		all[id] = c
	}
	return all
}

func plan(t *testing.T, m backends.Planner, w backends.Workload) backends.Allocation {
	t.Helper()
	a, err := m.Plan(context.Background(), w)
	assert.NilError(t, err)
	return a
}
