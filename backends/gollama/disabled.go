//go:build !gollama

package gollama

import (
	"errors"

	"proctor/backends"
	"proctor/backends/gguf"
)

// ErrMissing says why this build opens no model with go-llama.cpp, and how to get one that does.
var ErrMissing = errors.New("this program was built without go-llama.cpp: `make gollama` builds bin/proctor-gollama; " +
	"without gollama: the model runs in-process")

func load(Options, *gguf.File) (backends.Model, error) { return nil, ErrMissing }
