package llamacpp

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"proctor/backends"
	"proctor/backends/llamacpp/llamatest"
	"proctor/scripts/tests/errortest"
)

func TestAVocabularyAnswersAsItsModelDoes(t *testing.T) {
	m := open(t, Options{})
	v, err := OpenVocabulary(tinyPath(t), "")
	assert.NilError(t, err)
	for _, prompt := range []string{"", "Question:\nWhat is it?", "<s>Question", "naïve 質問 \x00 end", strings.Repeat("options ", 300)} {
		want, err := m.Tokenize(prompt)
		assert.NilError(t, err)
		got, err := v.Tokenize(prompt)
		assert.Check(t, err == nil && slices.Equal(got, want), "%.20q becomes %v, %v; the model makes %v of it", prompt, got, err, want)
	}
	assert.Check(t, v.ChatTemplate() == m.ChatTemplate(), "chat template %+v, the model's %+v", v.ChatTemplate(), m.ChatTemplate())
	assert.Check(t, errors.Join(v.Close(), v.Close()))
	_, err = v.Tokenize("Question")
	assert.Check(t, errors.Is(err, backends.ErrClosed), "closed, and it answers: %v", err)
	_, err = OpenVocabulary(filepath.Join(scratch, "none.gguf"), "")
	errortest.Says(t, err, "no such file")
}

// A model that thinks between special tokens must be seen to do so, and other special tokens stay without a text.
func TestWhatMarksThinkingHasAText(t *testing.T) {
	for name, test := range map[string]struct {
		control []string
		text    string // as it is tokenised
		want    string // and as its tokens are read
	}{
		"tags":    {[]string{"<think>", "</think>", "<|im_end|>"}, "<think>of</think>it<|im_end|>", "<think>of</think>it"},
		"mistral": {[]string{"[INST]", "[THINK]", "[/THINK]"}, "[INST][THINK]of[/THINK]it", "[INST][THINK]of[/THINK]it"},
		"harmony": {[]string{"<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>", "<|call|>"},
			"<|channel|>analysis<|message|>of<|end|><|start|>assistant<|channel|>final<|message|>it<|return|>",
			"<|channel|>analysis<|message|>of<|end|><|start|>assistant<|channel|>final<|message|>it"},
		"gemma": {[]string{"<|channel>", "<channel|>", "<turn|>"},
			"<|channel>thought of<channel|>it<turn|>", "<|channel>thought of<channel|>it<turn|>"},
		"not the end": {[]string{"[THINK]", "<|end|>", "</think>"}, "[THINK]of<|end|>it</think>", "[THINK]ofit</think>"},
		"none":        {[]string{"<|end|>"}, "it<|end|>", "it"},
	} {
		path := written(t, "thinking-"+strings.ReplaceAll(name, " ", "-")+".gguf", func(m *llamatest.Model) {
			m.Vocabulary = m.Vocabulary.With(test.control...)
		})
		v, err := OpenVocabulary(path, "")
		assert.NilError(t, err)
		tokens, err := v.Tokenize(test.text)
		assert.NilError(t, err)
		var text []byte
		for _, token := range tokens {
			text = v.weights.Piece(text, token)
		}
		got := strings.ReplaceAll(string(text), " ", "")
		assert.Check(t, got == strings.ReplaceAll(test.want, " ", ""), "%s: %q is read as %q, want %q", name, test.text, got, test.want)
		v.Close()
	}
}
