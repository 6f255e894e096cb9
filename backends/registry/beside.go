package registry

import (
	"context"
	"errors"
	"fmt"
	"io"

	"proctor/backends"
	"proctor/backends/llamacpp"
)

// Beside opens a model, and a reference that reads whatever it reads: both in this process, and of one vocabulary. What the reference
// is stands beside the model.
func Beside(ctx context.Context, options Options, reference string) (model backends.Model, info backends.ModelInfo, err error) {
	opened := make([]*llamacpp.Model, 0, 2)
	fail := func(err error) (backends.Model, backends.ModelInfo, error) {
		for _, m := range opened {
			err = errors.Join(err, m.Close())
		}
		return nil, info, err
	}
	for _, ref := range []string{options.Ref, reference} {
		options.Ref, options.Isolate = ref, ""
		m, err := Model(ctx, options)
		if err != nil {
			return fail(err)
		}
		engine, can := m.(*llamacpp.Model)
		if !can {
			return fail(errors.Join(fmt.Errorf("%s is not computed in-process: give a GGUF file", ref), m.Close()))
		}
		opened = append(opened, engine)
	}
	other, err := opened[1].Info(ctx)
	if err != nil {
		return fail(err)
	}
	both, err := llamacpp.NewLockstep(opened[0], opened[1])
	if err != nil {
		return nil, info, err
	}
	return both, other.Model, nil
}

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
