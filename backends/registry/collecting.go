package registry

import (
	"context"
	"errors"
	"fmt"
	"io"

	"proctor/backends"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
)

// A Collector is a model that makes an importance matrix of what it computes, and writes it for llama.cpp's quantiser.
type Collector interface {
	backends.Model
	WriteImatrix(to io.Writer, dataset string) error
}

// Collecting opens a model in-process to collect an importance matrix.
func Collecting(ctx context.Context, options Options) (Collector, error) {
	if err := llama.NeedBuiltin(""); err != nil {
		return nil, fmt.Errorf("no importance matrix can be made: %w", err)
	}
	options.Kernels, options.Tune = llamacpp.KernelsGGML, false
	m, err := Model(ctx, options)
	if err != nil {
		return nil, err
	}
	engine, can := m.(*llamacpp.Model)
	if !can {
		return nil, errors.Join(fmt.Errorf("%s is not computed in-process: give a GGUF file", options.Ref), m.Close())
	}
	return llamacpp.NewCollecting(engine)
}
