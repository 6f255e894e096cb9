package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/gguf"
	"proctor/backends/gollama"
	"proctor/backends/isolated"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/ollama/store"
	"proctor/backends/setting"
)

func isEmbedded(o *Options) bool { return o.Ref == embedded.Ref }

func isPath(o *Options) bool { return strings.TrimSpace(o.Ref) != "" }

func embeddedFile(string) (string, error) { return embedded.File() }

// openEmbedded opens the control model. It is a reference and runs as it always does.
func openEmbedded(ctx context.Context, o *Options) (backends.Model, error) {
	options, err := o.engine(ctx, "")
	if err != nil {
		return nil, err
	}
	options.Tune = false
	if o.Isolate != IsolateOn { // it is a part of this program
		return embedded.Open(ctx, options)
	}
	path, err := embedded.File()
	if err != nil {
		return nil, err
	}
	return o.start(ctx, embedded.Options(path, options))
}

func openPath(ctx context.Context, o *Options) (backends.Model, error) {
	path, err := pathItself(o.Ref)
	if err != nil {
		return nil, err
	}
	return o.openFile(ctx, path)
}

func (o *Options) openFile(ctx context.Context, path string) (backends.Model, error) {
	options, err := o.engine(ctx, path)
	if err != nil {
		return nil, err
	}
	options.Path, options.Progress = path, o.loading()
	return o.start(ctx, options)
}

// openStored runs a model of Ollama's local store without a server.
func openStored(ctx context.Context, o *Options) (backends.Model, error) {
	found, err := store.Local().Find(strings.TrimPrefix(o.Ref, ollamaPrefix))
	if err != nil {
		return nil, err
	}
	if found.Adapter {
		return nil, fmt.Errorf("%s has a LoRA adapter of its own: leave %s out, or name the model's GGUF file, and the adapter's with %s", o.Ref,
			setting.InProcess, setting.Lora)
	}
	return o.openFile(ctx, found.Path)
}

// engine are the options of the in-process engine for the model in a file; "": the one that is embedded.
func (o *Options) engine(ctx context.Context, path string) (llamacpp.Options, error) {
	folder, err := o.engineFor(ctx, path)
	if err != nil {
		return llamacpp.Options{}, err
	}
	options := o.Options
	options.Ref, options.Engine, options.Log = o.Ref, folder, o.engineLog
	if o.GPULayers != nil {
		options.GPULayers = *o.GPULayers
	}
	if cache, err := os.UserCacheDir(); err == nil {
		options.TuningFolder = filepath.Join(cache, "proctor")
	}
	return options, nil
}

// OnAbort has handle called where the in-process engine gives up, or dies of a signal, on a thread that cannot go on, with the reason in
// a line. handle is to put away what must not be lost, and to end the process.
func OnAbort(handle func(error)) {
	llama.OnAbort(handle)
	llama.WatchDeaths()
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

// Whether the in-process engine gets a process of its own.
const (
	IsolateAuto = "auto" // for every model but the control model, which is a part of this program
	IsolateOn   = "on"
	IsolateOff  = "off"
)

// CheckIsolate refuses any other word.
func CheckIsolate(word string) error {
	words := []string{IsolateAuto, IsolateOn, IsolateOff}
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("give %s", strings.Join(words, ", "))
}

// start opens a file's model, in this process or in one of its own.
func (o *Options) start(ctx context.Context, options llamacpp.Options) (backends.Model, error) {
	if o.Isolate == "" || o.Isolate == IsolateOff {
		return llamacpp.Open(ctx, options)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return isolated.Open(ctx, isolated.Options{Engine: options, Program: program, Args: o.EngineArgs, Warn: o.warn})
}

// ServeEngine is what the program does that was started with [Options].EngineArgs.
func ServeEngine() error { return isolated.Serve() }

// GaveUp says whether an error is the engine's death.
func GaveUp(err error) bool {
	death := (*isolated.Death)(nil)
	return errors.As(err, &death)
}

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
