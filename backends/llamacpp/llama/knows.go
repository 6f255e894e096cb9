package llama

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
)

// Knows says whether the library supports a model's architecture, types of tensors and pre-tokenizer. probe is a nearly empty file with the
// same ones, see package gguf.
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
	knows := true
	// It is refused for what it is first, and then only for all that a probe lacks. The library that is compiled in only warns of a
	// pre-tokenizer.
	hear := func(_ slog.Level, text string) { knows = knows && !unknown.MatchString(text) }
	m, _ := l.Load(context.Background(), file.Name(), LoadOptions{VocabularyOnly: true, Log: hear})
	m.Close()
	return knows, nil
}

// Check refuses a model's file that the library does not open: one that lacks tensors which its architecture needs, or that cannot continue
// a text. It ends where the tensors' data would be read.
func (l *Library) Check(path string) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for _, o := range []LoadOptions{{VocabularyOnly: true}, {Progress: func(float64) { stop() }}} {
		m, err := l.Load(ctx, path, o)
		m.Close()
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

// unknown matches what llama.cpp says of a model that it does not know for what it is.
var unknown = regexp.MustCompile(`unknown model architecture|invalid ggml type|unknown pre-tokenizer|unrecognized pre-tokenizer`)
