package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"proctor/backends"
	"proctor/backends/child"
	"proctor/backends/embedded"
	"proctor/backends/embedded/selftest"
	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/gollama"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/servers"
)

// openFile opens a file's model, the control model's too, in a process of its own.
func openFile(ctx context.Context, o *Options) (backends.Model, error) {
	engine, err := o.engine(ctx)
	if err != nil {
		return nil, err
	}
	return isolated.Open(ctx, engine)
}

// engine are the options of the engine for the model in a file, or the control model. That is a reference and runs as it always does.
func (o *Options) engine(ctx context.Context) (llamacpp.Options, error) {
	control := o.Ref == embedded.Ref
	path, err := "", error(nil)
	if !control {
		path, err = pathItself(o.Ref)
	}
	if err != nil {
		return llamacpp.Options{}, err
	}
	folder, asDefault, err := o.engineFor(ctx, path)
	if err != nil {
		return llamacpp.Options{}, err
	}
	options := o.Options
	options.Path, options.Ref, options.Engine, options.Warn = path, o.Ref, folder, o.warn
	options.SplitAsDefault = asDefault
	if o.GPULayers != nil {
		options.GPULayers = *o.GPULayers
	}
	if !control {
		options.Progress = o.loading()
		return options, nil
	}
	path, err = embedded.File()
	return embedded.Options(path, options), err
}

// BuiltinTemplate writes a conversation down by one of the chat templates that llama.cpp has in its own code.
func BuiltinTemplate(name string, messages []backends.Message) (string, error) {
	if err := llama.NeedBuiltin(""); err != nil {
		return "", fmt.Errorf("the chat template %s is llama.cpp's: %w", name, err)
	}
	return llama.Builtin().ApplyBuiltinTemplate(name, messages)
}

// gollamaPrefix begins the names of files that go-llama.cpp is to run.
const gollamaPrefix = "gollama:"

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
	options := gollama.Options{Path: path, Model: llamacpp.Describe(file, o.Ref, sum), Sampling: llamacpp.Recommended(file),
		Threads: o.Threads, Context: o.Context}
	if o.GPULayers != nil {
		options.GPULayers = *o.GPULayers
	}
	return gollama.Open(ctx, options)
}

// Child does what this process is to do for the program that started it, and ends it, where that is the same program.
func Child() { child.Main(append(engines.Tasks, selftest.Task, isolated.Task)...) }

// BackendFailed says whether an error is the engine's death, or that of a server that refuses every request until a person acts.
func BackendFailed(err error) bool {
	_, died := errors.AsType[*child.Death](err)
	refused, told := errors.AsType[*servers.Error](err)
	return died || told && refused.Lasts()
}
