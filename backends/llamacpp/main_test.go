package llamacpp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/llamacpp/quantize"
)

// tiny is a random-weight model that all tests share.
var tiny = sync.OnceValues(func() (string, error) {
	return writeTiny("tiny.gguf", func(*llamatest.Model) {})
})

var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "llamacpp"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// capped caps each request at a number of tokens.
func capped(requests []backends.Request, tokens int) []backends.Request {
	for i := range requests {
		requests[i].MaxTokens = tokens
	}
	return requests
}

// written is the path of a model that writeTiny writes.
func written(t testing.TB, name string, change func(*llamatest.Model)) string {
	t.Helper()
	path, err := writeTiny(name, change)
	assert.NilError(t, err)
	return path
}

// quantised is the path of a copy of a model, of another type.
func quantised(t testing.TB, source, kind string) string {
	t.Helper()
	path := strings.TrimSuffix(source, ".gguf") + "-" + kind + ".gguf"
	assert.NilError(t, quantize.Write(t.Context(), quantize.Options{Source: source, Target: path, Type: kind}))
	return path
}

func writeTiny(name string, change func(*llamatest.Model)) (string, error) {
	m := llamatest.Model{
		Name: "tiny", Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 256, Heads: 8, KVHeads: 4, Inner: 256, Layers: 2, Context: 4096},
	}
	change(&m)
	path := filepath.Join(scratch, name)
	return path, llamatest.Write(path, m)
}

func tinyPath(t testing.TB) string {
	t.Helper()
	path, err := tiny()
	assert.NilError(t, err)
	return path
}

// open opens the tiny model with one thread, so that a busy machine does not slow it down.
func open(t testing.TB, options Options) *Model {
	t.Helper()
	if options.Path == "" {
		options.Path = tinyPath(t)
	}
	if options.Threads == 0 {
		options.Threads = 1
	}
	m, err := Open(context.Background(), options)
	assert.NilError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// generate returns the completions of the requests in the requests' order.
func generate(t testing.TB, m *Model, requests ...backends.Request) []backends.Completion {
	t.Helper()
	completions := make([]backends.Completion, len(requests))
	err := m.Generate(context.Background(), slices.Values(requests), func(c backends.Completion) error {
		i := slices.IndexFunc(requests, func(r backends.Request) bool { return r.ID == c.ID })
		completions[i] = c
		return nil
	})
	assert.NilError(t, err)
	return completions
}
