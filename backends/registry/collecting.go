package registry

import (
	"context"
	"errors"
	"fmt"
	"io"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// A Collector is a model that makes an importance matrix of what it computes, and writes it for llama.cpp's quantiser.
type Collector interface {
	backends.Model
	WriteImatrix(to io.Writer, dataset string) error
}

// Collecting opens a model in-process to collect an importance matrix.
func Collecting(ctx context.Context, options Options) (Collector, error) {
	options.Kernels, options.Tune, options.Collect = llamacpp.KernelsGGML, false, true
	m, err := Model(ctx, options)
	if err != nil {
		return nil, err
	}
	c, can := m.(Collector)
	if !can {
		return nil, errors.Join(fmt.Errorf("%s is not computed in-process: give a GGUF file", options.Ref), m.Close())
	}
	return c, nil
}
