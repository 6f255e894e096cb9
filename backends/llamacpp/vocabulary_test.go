package llamacpp

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAVocabularyAnswersAsItsModelDoes(t *testing.T) {
	m := open(t, Options{})
	v, err := OpenVocabulary(tinyPath(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"", "Question:\nWhat is it?", "<s>Question", "naïve 質問 \x00 end", strings.Repeat("options ", 300)} {
		want, err := m.Tokenize(prompt)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Tokenize(prompt)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%.20q becomes %v, %v; the model makes %v of it", prompt, got, err, want)
		}
	}
	if v.ChatTemplate() != m.ChatTemplate() {
		t.Errorf("chat template %+v, the model's %+v", v.ChatTemplate(), m.ChatTemplate())
	}
	if err := errors.Join(v.Close(), v.Close()); err != nil {
		t.Error(err)
	}
	if _, err := v.Tokenize("Question"); !errors.Is(err, ErrClosed) {
		t.Errorf("closed, and it answers: %v", err)
	}
}

func TestAVocabularyNeedsAModel(t *testing.T) {
	if v, err := OpenVocabulary(filepath.Join(scratch, "none.gguf")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v, %v", v, err)
	}
}
