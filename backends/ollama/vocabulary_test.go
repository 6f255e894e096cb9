package ollama

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llamatest"
	"proctor/backends/ollama/ollamatest"
)

// opener opens vocabularies until the test ends.
func opener(t *testing.T) func(string) (backends.Tokenizer, error) {
	return func(path string) (backends.Tokenizer, error) {
		v, err := llamacpp.OpenVocabulary(path, "")
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { v.Close() })
		return v, nil
	}
}

func TestAServerTellsTheVocabulary(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Options{})
	random := filepath.Join(t.TempDir(), "random.gguf")
	model := llamatest.Model{
		Name: "random", Vocabulary: llamatest.SmallVocabulary(), Seed: 1,
		Shape: llamatest.Shape{Width: 256, Heads: 8, KVHeads: 4, Inner: 256, Layers: 1, Context: 512},
	}
	assert.NilError(t, llamatest.Write(random, model))
	for name, file := range map[string]string{"control": control, "random": random} {
		create(t, s, name, file, "")
		m := opened(t, Options{Name: name, Hosts: []string{s.Host()}, OpenVocabulary: opener(t)})
		own, err := opener(t)(file)
		assert.NilError(t, err)
		for _, prompt := range []string{"", "Question:\nWhat is it?", "<s>Question<|end|>", "naïve 質問 \x00 end",
			strings.Repeat("options  ", 300), items(1)[0].Prompt} {
			want, err := own.Tokenize(prompt)
			assert.NilError(t, err)
			got, err := m.Tokenize(prompt)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %.20q becomes %v, %v; the file makes %v of it", name, prompt, got, err, want)
			}
		}
	}
}

func TestAVocabularyThatNobodyTellsIsDoneWithout(t *testing.T) {
	m := openFake(t, Options{OpenVocabulary: opener(t)}, newFake(t))
	if _, err := m.Tokenize("x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Tokenize: %v", err)
	}
}
