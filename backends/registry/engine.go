package registry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"proctor/backends"
	"proctor/backends/embedded"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/machine"
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
	options, err := o.engine(ctx, found.Path)
	if err != nil {
		return nil, err
	}
	options.Path, options.Progress = found.Path, o.loading()
	return o.start(ctx, options)
}

// engine are the options of the in-process engine for the model in a file; "": the one that is embedded.
func (o *Options) engine(ctx context.Context, path string) (llamacpp.Options, error) {
	folder, err := o.engineFor(ctx, path)
	if err != nil {
		return llamacpp.Options{}, err
	}
	options := llamacpp.Options{
		Ref: o.Ref, Engine: folder, Adapters: o.Adapters, Slots: o.Slots, Threads: o.Threads, Context: o.Context, KVType: o.KVType, Kernels: o.Kernels,
		Batch: o.Batch, Microbatch: o.Microbatch, Unmapped: o.Unmapped, Tune: o.Tune, Like: o.Like, Log: o.engineLog,
		Collect: o.Collect, Backends: o.GGMLBackends, Devices: o.Devices, TensorSplit: o.TensorSplit,
	}
	if o.Memory > 0 {
		options.MemoryLimit = o.Memory
		if free := machine.FreeMemory(); free > 0 {
			options.MemoryLimit = min(o.Memory, free)
		}
	}
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
