package llama

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// Knows says whether the library knows a model's architecture and types of tensors. probe is a file of that kind with next to nothing
// in it, see package gguf.
func (l *Library) Knows(probe []byte) (bool, error) {
	file, err := os.CreateTemp("", "proctor-probe-*.gguf")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(probe)
	if err := errors.Join(err, file.Close()); err != nil {
		return false, fmt.Errorf("%s: %w", file.Name(), err)
	}
	m, err := l.Load(context.Background(), file.Name(), LoadOptions{VocabularyOnly: true})
	m.Close()
	// It is refused for what it is first, and then only for all that a probe lacks.
	return err == nil || !unknown.MatchString(err.Error()), nil
}

// unknown matches why llama.cpp refuses a model for what it is.
var unknown = regexp.MustCompile(`unknown model architecture|invalid ggml type`)
