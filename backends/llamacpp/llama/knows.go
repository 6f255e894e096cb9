package llama

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	"proctor/backends/gguf"
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

// architectureName matches what architectures are called.
var architectureName = regexp.MustCompile(`^[a-z][a-z0-9_-]{1,23}$`)

// Architectures are the names of those that the library knows: of the short texts in its file, the ones that it takes for one. What the
// linker has kept as the end of another name only is found where that name is one, too.
func (l *Library) Architectures() ([]string, error) {
	content, err := os.ReadFile(l.path)
	if err != nil {
		return nil, err
	}
	asked, known := map[string]bool{}, []string{}
	var ask func(name string) error
	ask = func(name string) error {
		if asked[name] || !architectureName.MatchString(name) {
			return nil
		}
		asked[name] = true
		knows, err := l.Knows(gguf.ProbeOf(name))
		if err != nil || !knows {
			return err
		}
		known = append(known, name)
		for i := range name {
			if err := ask(name[i:]); err != nil {
				return err
			}
		}
		return nil
	}
	for text := range bytes.SplitSeq(content, []byte{0}) {
		if err := ask(string(text)); err != nil {
			return nil, err
		}
	}
	slices.Sort(known)
	return known, nil
}
