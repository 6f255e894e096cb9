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
	options := o.Options
	options.Ref, options.Warn = o.Ref, o.warn
	if o.GPULayers != nil {
		options.GPULayers = *o.GPULayers
	}
	if o.Ref != embedded.Ref {
		path, err := pathItself(o.Ref)
		if err != nil {
			return nil, err
		}
		options.Path = path
		if o.Draw != nil {
			options.Progress = func(share float64) {
				o.Draw(fmt.Sprintf("loading %s %3.0f %%", o.Ref, 100*share))
				if share >= 1 {
					o.Draw("")
				}
			}
		}
	}
	var err error
	if options.Engine, options.SplitAsDefault, err = o.engineFor(ctx, options.Path); err != nil {
		return nil, err
	}
	if o.Ref == embedded.Ref { // a reference, which runs as it always does
		path, err := embedded.File()
		if err != nil {
			return nil, err
		}
		options = embedded.Options(path, options)
	}
	return isolated.Open(ctx, options)
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
