package registry

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"proctor/backends/embedded"
	"proctor/backends/engines"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp"
	"proctor/backends/llamacpp/builtin"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/setting"
)

// Names of engines besides folders and those of package engines.
const (
	EngineAuto    = "auto"    // builtin for a model that it knows, else the newest one that does
	EngineBuiltin = "builtin" // the llama.cpp that is compiled in
)

// EngineVariable is the environment's way to name the engine.
const EngineVariable = "PROCTOR_ENGINE"

// engineFor is the folder of the llama.cpp that is to compute the model in a file; "" for the one that is compiled in. "" as the path
// stands for the control model.
func (o *Options) engineFor(ctx context.Context, path string) (folder string, err error) {
	openers := newOpeners(o.Engines, o.Engine)
	if path == "" && openers.name == EngineAuto && llama.HasBuiltin() {
		return "", nil
	}
	if path == "" {
		if path, err = embedded.File(); err != nil {
			return "", err
		}
	}
	file, err := gguf.Open(path)
	if err != nil {
		return "", nil // whoever opens it says so
	}
	chosen, err := openers.of(ctx, file)
	if err == nil && openers.name == EngineAuto && chosen.Folder != "" {
		o.note(fmt.Sprintf("proctor: %s is newer than the built-in llama.cpp: computing with %s", file.Architecture(), chosen))
	}
	return chosen.Folder, err
}

// Adapter is the file of a LoRA adapter.
type Adapter = llamacpp.Adapter

// openers find which engine opens files, and ask once for each kind of them.
type openers struct {
	store engines.Store
	name  string            // of the engine, EngineAuto for the best
	known map[string]opener // by the probe
}

// newOpeners takes the engine of a name, or of the environment.
func newOpeners(store engines.Store, name string) openers {
	return openers{store, cmp.Or(name, os.Getenv(EngineVariable), EngineAuto), map[string]opener{}}
}

type opener struct {
	engine engines.Engine // without a folder: the one that is compiled in
	err    error
}

// of is the engine for a file: the one that was named, or else the one that is compiled in where it knows the architecture and the types
// of the tensors, else the newest that does.
func (o openers) of(ctx context.Context, file *gguf.File) (engines.Engine, error) {
	var probe []byte // what was named is the same for all
	if o.name == EngineAuto {
		probe = file.Probe()
	}
	found, asked := o.known[string(probe)]
	if !asked {
		found.engine, found.err = o.ask(ctx, file, probe)
		o.known[string(probe)] = found
	}
	return found.engine, found.err
}

func (o openers) ask(ctx context.Context, file *gguf.File, probe []byte) (engines.Engine, error) {
	own := engines.Engine{Name: EngineBuiltin, Description: engines.Description{Release: builtin.Version}}
	switch o.name {
	case EngineAuto:
	case EngineBuiltin:
		return own, nil
	default:
		found, err := o.store.Find(ctx, o.name)
		if err != nil {
			err = fmt.Errorf("%s %w", setting.Engine, err)
		}
		return found, err
	}
	if knows, err := engines.Builtin(probe); knows || err != nil {
		return own, err
	}
	found, tried, err := o.store.For(ctx, probe)
	if err != nil {
		return own, err
	}
	if found != nil {
		return *found, nil
	}
	return own, newerThan(file, tried)
}

// named is the engine for a file in a word or two for people; where there is none, why not.
func (o openers) named(ctx context.Context, file *gguf.File) (engine, why string) {
	found, err := o.of(ctx, file)
	switch {
	case err != nil:
		return "", err.Error()
	case found.Folder == "":
		return EngineBuiltin, ""
	}
	return found.Name + " (" + found.Release + ")", ""
}

// newerThan says that no engine opens a file, and what to do.
func newerThan(file *gguf.File, tried []engines.Engine) error {
	if len(tried) == 0 {
		if err := llama.NeedBuiltin(llamacpp.WithoutBuiltin()); err != nil {
			return err
		}
	}
	what := file.Architecture()
	if knows, err := engines.Builtin(gguf.ProbeOf(what)); knows && err == nil {
		var types []string
		for _, t := range file.Types() {
			if knows, err := engines.Builtin(gguf.ProbeOf(what, t.Type)); err == nil && !knows {
				types = append(types, t.Type.String())
			}
		}
		what = "the tensor type " + strings.Join(types, ", ")
	}
	than := "the built-in llama.cpp (" + builtin.Date + ")"
	for _, e := range tried {
		than += ", " + e.String()
	}
	if i := strings.LastIndex(than, ", "); i >= 0 {
		than = than[:i] + " and " + than[i+2:]
	}
	return fmt.Errorf("%s: %s is newer than %s: proctor engine pull, or %s", file.Path, what, than, setting.Engine.As("DIR"))
}
