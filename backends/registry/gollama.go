package registry

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/gollama"
	"proctor/backends/llamacpp"
)

// gollamaPrefix begins the names of files that go-llama.cpp is to run.
const gollamaPrefix = "gollama:"

func isGollama(o *Options) bool { return strings.HasPrefix(o.Ref, gollamaPrefix) }

func gollamaFile(ref string) (string, error) {
	path := strings.TrimPrefix(ref, gollamaPrefix)
	if path == "" {
		return "", cmp.Or(gollama.ErrMissing, fmt.Errorf("%s names no file: give its path, as in %smodel.gguf", ref, ref))
	}
	return pathItself(path)
}

func openGollama(ctx context.Context, o *Options) (backends.Model, error) {
	path, err := gollamaFile(o.Ref)
	if err != nil {
		return nil, err
	}
	file, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	if err := gollama.Check(file); err != nil {
		return nil, err
	}
	sum, err := file.SHA256(ctx)
	if err != nil {
		return nil, err
	}
	options := gollama.Options{Path: path, Model: llamacpp.Describe(file, o.Ref, sum), Threads: o.Threads, Context: o.Context}
	if o.GPULayers != nil {
		options.GPULayers = *o.GPULayers
	}
	return gollama.Open(ctx, options)
}
