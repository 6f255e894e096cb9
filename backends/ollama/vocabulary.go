package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/fs/ggml"

	"proctor/backends"
	"proctor/backends/servers"
)

// findVocabulary gets the vocabulary from the model's file where that is at hand, else from what a server reports. It is nil
// where neither works.
func (m *Model) findVocabulary(ctx context.Context) (backends.Tokenizer, error) {
	if find, sum := m.options.Vocabulary, m.facts.info.FileSHA256; find != nil && sum != "" {
		if v, err := find(sum); v != nil || err != nil {
			return v, err
		}
	}
	if m.options.OpenVocabulary == nil {
		return nil, nil
	}
	v, err := m.fetchVocabulary(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		m.options.Warn("ollama: the vocabulary of %s could not be fetched: %s", m.options.Name, servers.OneLine(err))
		return nil, nil
	}
	return v, nil
}

// fetchVocabulary writes the vocabulary that a server reports to a file and opens that.
func (m *Model) fetchVocabulary(ctx context.Context) (backends.Tokenizer, error) {
	var values ggml.KV
	err := servers.ErrGone
	for _, s := range m.pool.Up() {
		if values, err = s.vocabulary(ctx, m.options.Name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "proctor-vocabulary-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file, err := os.Create(filepath.Join(folder, "vocabulary.gguf"))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(ggml.WriteGGUF(file, values, nil), file.Close()); err != nil {
		return nil, err
	}
	return m.options.OpenVocabulary(file.Name())
}

// vocabulary fetches the vocabulary of the model's file.
func (s *server) vocabulary(ctx context.Context, name string) (ggml.KV, error) {
	show, err := s.Show(ctx, &api.ShowRequest{Model: name, Verbose: true})
	if err != nil {
		return nil, plain(ctx, err)
	}
	values := ggml.KV{}
	for key, value := range show.ModelInfo {
		if key != "general.architecture" && !strings.HasPrefix(key, "tokenizer.") {
			continue
		}
		if value = retyped(key, value); value == nil {
			return nil, fmt.Errorf("%s does not give %s", s.Name(), key)
		}
		values[key] = value
	}
	if _, there := values["tokenizer.ggml.tokens"]; !there {
		return nil, fmt.Errorf("%s gives no tokens", s.Name())
	}
	return values, nil
}

// retyped gives a value that came as JSON the type that GGUF files give it; nil where there is none.
func retyped(key string, value any) any {
	switch v := value.(type) {
	case string, bool:
		return v
	case float64:
		return uint32(v) // ids and counts
	case []any:
		return retypedArray(key, v)
	}
	return nil
}

func retypedArray(key string, values []any) any {
	if len(values) == 0 {
		return nil
	}
	if _, texts := values[0].(string); texts {
		return allOf(values, func(v string) string { return v })
	}
	if key == "tokenizer.ggml.scores" {
		return allOf(values, func(v float64) float32 { return float32(v) })
	}
	return allOf(values, func(v float64) int32 { return int32(math.Round(v)) })
}

// allOf converts values that are all of type V; nil where one is not.
func allOf[V, T any](values []any, convert func(V) T) any {
	all := make([]T, len(values))
	for i, value := range values {
		v, ok := value.(V)
		if !ok {
			return nil
		}
		all[i] = convert(v)
	}
	return all
}
