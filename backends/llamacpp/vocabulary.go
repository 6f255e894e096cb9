package llamacpp

// #include "engine.h"
import "C"

import (
	"fmt"

	"proctor/backends"
	"proctor/backends/gguf"
)

// A Vocabulary is what a GGUF model makes of text: its tokens and its chat template. None of its tensors are read, so
// it opens at once however large the model is. It implements [backends.Tokenizer] and [backends.Templated], and
// answers as the [Model] of that file does.
type Vocabulary struct {
	file    *gguf.File
	weights *weights
}

var (
	_ backends.Tokenizer = (*Vocabulary)(nil)
	_ backends.Templated = (*Vocabulary)(nil)
)

// OpenVocabulary checks the header of the model at path and reads its vocabulary.
func OpenVocabulary(path string) (*Vocabulary, error) {
	file, err := gguf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	name, free := cString(path)
	defer free()
	log := listen(nil)
	defer log.Close()
	w, err := newWeights(C.proctor_vocabulary_load(name), path, log)
	if err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	return &Vocabulary{file, w}, nil
}

// Close frees the vocabulary. It is safe to call twice, and on nil.
func (v *Vocabulary) Close() error {
	if v != nil {
		v.weights.Close()
	}
	return nil
}

// Tokenize implements [backends.Tokenizer]. It may be called from several goroutines at a time.
func (v *Vocabulary) Tokenize(prompt string) ([]int32, error) {
	if v.weights.model == nil {
		return nil, ErrClosed
	}
	tokens, err := v.weights.tokenize(prompt)
	if err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	return tokens, nil
}

// ChatTemplate implements [backends.Templated].
func (v *Vocabulary) ChatTemplate() backends.ChatTemplate { return v.weights.chatTemplate(v.file) }
