package isolated

import (
	"context"
	"sync"

	"proctor/backends"
)

// Vocabulary is the tokenizer and chat template of a model's file, read in a process of its own, without the tensors.
type Vocabulary struct {
	mu    sync.Mutex // one call at a time
	model *Model
}

var (
	_ backends.Tokenizer = (*Vocabulary)(nil)
	_ backends.Templated = (*Vocabulary)(nil)
)

// OpenVocabulary opens the vocabulary of a file as [Open] opens its model.
func OpenVocabulary(ctx context.Context, options Options) (*Vocabulary, error) {
	options.vocabulary = true
	m, err := Open(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Vocabulary{model: m}, nil
}

// Tokenize implements [backends.Tokenizer]. It may be called from several goroutines at a time.
func (v *Vocabulary) Tokenize(prompt string) ([]int32, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.model.Tokenize(prompt)
}

// ChatTemplate implements [backends.Templated].
func (v *Vocabulary) ChatTemplate() backends.ChatTemplate { return v.model.ChatTemplate() }

// Close ends the process. It is safe to call twice.
func (v *Vocabulary) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.model.Close()
}
