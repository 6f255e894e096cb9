package gollama

import (
	"cmp"
	"context"
	"fmt"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/machine"
	"proctor/backends/setting"
)

// Version is go-llama.cpp's newest commit, and the day of the llama.cpp that it binds.
const Version = "go-llama.cpp 6a8041ef6b46 (llama.cpp of 2023-09-27)"

// Options say which model is opened, and how.
type Options struct {
	Path      string
	Model     backends.ModelInfo // what its file says
	Threads   int                // 0: the physical cores that may be used
	GPULayers int                // on GPUs, where the library was built for them
	Context   int                // tokens of prompt and completion together; 0: as the model was trained for, up to mostContext
}

// mostContext is the default context at most: the key/value cache is allocated at once.
const mostContext = 4096

// Open opens a model. One that the library cannot read is refused with the reason.
func Open(ctx context.Context, o Options) (backends.Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := gguf.Open(o.Path)
	if err != nil {
		return nil, err
	}
	if err := Check(file); err != nil {
		return nil, err
	}
	if o.GPULayers < 0 {
		return nil, fmt.Errorf("%s: go-llama.cpp does not know how many layers fit: give %s a number", o.Path, setting.GPULayers)
	}
	o.Threads = cmp.Or(o.Threads, machine.Cores())
	o.Context = cmp.Or(o.Context, min(cmp.Or(file.ContextLength(), mostContext), mostContext))
	return load(o, file)
}
