package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
	"proctor/backends/llamacpp/builtin"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/servers"
	"proctor/backends/setting"
)

// openFile opens a file's model, the control model's too, in a process of its own.
func openFile(ctx context.Context, o *Options) (backends.Model, error) {
	options := llamacpp.Options{Settings: o.Settings, Like: o.Like, Warn: o.Warn}
	var err error
	if o.Model == embedded.Ref { // a reference, which runs as it always does
		path, err := embedded.File()
		if err != nil {
			return nil, err
		}
		options = embedded.Options(path, options)
	} else if options.Path, err = pathItself(o.Model); err != nil {
		return nil, err
	} else if o.Draw != nil {
		options.Progress = func(share float64) {
			o.Draw(fmt.Sprintf("loading %s %3.0f %%", o.Model, 100*share))
			if share >= 1 {
				o.Draw("")
			}
		}
	}
	chosen, asDefault, err := o.engineFor(ctx, options.Path)
	if err != nil {
		return nil, err
	}
	options.Engine, options.SplitAsDefault = chosen.Folder, asDefault
	return isolated.Open(ctx, options)
}

// BuiltinTemplate writes a conversation down by one of the chat templates that llama.cpp has in its own code.
func BuiltinTemplate(name string, messages []backends.Message) (string, error) {
	if err := llama.NeedBuiltin(""); err != nil {
		return "", fmt.Errorf("the chat template %s is llama.cpp's: %w", name, err)
	}
	return llama.Builtin().ApplyBuiltinTemplate(name, messages)
}

func gollamaFile(ref string) (string, error) {
	path := strings.TrimPrefix(ref, gollamaPrefix)
	if path == "" {
		return "", cmp.Or(gollama.ErrMissing,
			fmt.Errorf("%s names no file: give its path, as in %smodel.gguf", ref, ref))
	}
	return pathItself(path)
}

func openGollama(ctx context.Context, o *Options) (backends.Model, error) {
	path, err := gollamaFile(o.Model)
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
	return gollama.Open(ctx, gollama.Options{
		Settings: o.Settings, Path: path, Info: llamacpp.Describe(file, o.Model, sum), Sampling: llamacpp.Recommended(file),
	})
}

// Child does what this process is to do for the program that started it, and ends it, where that is the same program.
func Child() { child.Main(append(engines.Tasks, selftest.Task, isolated.Task)...) }

// BackendFailed says whether an error is the engine's death, or that of a server that refuses every request until a
// person acts.
func BackendFailed(err error) bool {
	_, died := errors.AsType[*child.Death](err)
	refused, told := errors.AsType[*servers.Error](err)
	return died || told && refused.Lasts()
}

// Names of engines besides folders and those of package engines.
const (
	EngineAuto    = "auto"    // builtin for a model that it knows, else the newest one that does
	EngineBuiltin = "builtin" // the llama.cpp that is compiled in
)

// EngineVariable is the environment's way to name the engine.
const EngineVariable = "PROCTOR_ENGINE"

// engineFor is the llama.cpp that is to compute the model in a file, without a folder the one that is compiled in.
// asDefault is why it does not split texts as the file needs it; "" where it does.
func (o *Options) engineFor(ctx context.Context, path string) (chosen engines.Engine, asDefault string, err error) {
	file, err := gguf.Open(path)
	if err != nil {
		return chosen, "", nil // whoever opens it says so
	}
	if err := file.TextModel(); err != nil {
		return chosen, "", err
	}
	openers := newOpeners(o.Engines, o.Engine)
	if chosen, err = openers.of(ctx, file); err != nil {
		return chosen, "", err
	}
	if openers.name == EngineAuto && chosen.Folder != "" {
		say(o.Note, fmt.Sprintf("proctor: %s is newer than the built-in llama.cpp: computing with %s", newIn(file), chosen))
	}
	asDefault = splitAsDefault(file)
	for _, why := range []string{asDefault, endless(file)} {
		if why != "" {
			say(o.Warn, path+": "+why)
		}
	}
	return chosen, asDefault, nil
}

// splitAsDefault is the warning of a file that does not say how its vocabulary splits texts; "" for others.
func splitAsDefault(file *gguf.File) string {
	if pre, needed := file.PreTokenizer(); pre != "" || !needed {
		return ""
	}
	return `the file names no pre-tokenizer (tokenizer.ggml.pre): texts are split as "default", and every prompt's ` +
		"tokens may differ from what the model was trained with; convert the model again with a current converter"
}

// unknownPreTokenizer says that an engine lacks a pre-tokenizer, and what to do.
func unknownPreTokenizer(pre, engine string) string {
	return fmt.Sprintf("%s does not know the pre-tokenizer %q (tokenizer.ggml.pre): take a llama.cpp that knows it "+
		"(proctor engine pull, or %s), or convert the model again with a current converter", engine, pre,
		setting.Engine.As("DIR"))
}

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
	lacks  string         // why it opens no such file; empty where it does
	err    error
}

// of is the engine for a file: the one that was named, or else the one that is compiled in where it knows the
// architecture, the types of the tensors and the pre-tokenizer, else the newest that does. The one that is compiled in
// would split texts as "default" where it does not know the pre-tokenizer, into other tokens than the model was trained
// with: such a file is refused, as loaded ones refuse it.
func (o openers) of(ctx context.Context, file *gguf.File) (engines.Engine, error) {
	pre, _ := file.PreTokenizer()
	probe := gguf.ProbeOf("llama", pre) // what was named is the same for all architectures
	if o.name == EngineAuto {
		probe = file.Probe(pre)
	}
	found, known := o.known[string(probe)]
	if !known {
		found = o.ask(ctx, file, pre, probe)
		o.known[string(probe)] = found
	}
	if found.lacks != "" {
		return found.engine, fmt.Errorf("%s: %s", file.Path, found.lacks)
	}
	return found.engine, found.err
}

// ask finds the engine for the files of a probe's kind, of which file is one.
func (o openers) ask(ctx context.Context, file *gguf.File, pre string, probe []byte) (found opener) {
	own := engines.Engine{Name: EngineBuiltin, Description: engines.Description{Release: builtin.Version}}
	if o.name == EngineBuiltin {
		if pre == "" || !llama.HasBuiltin() {
			return opener{engine: own}
		}
		knows, err := engines.Builtin(probe)
		if found = (opener{engine: own, err: err}); err == nil && !knows {
			found.lacks = unknownPreTokenizer(pre, "the built-in llama.cpp")
		}
		return found
	}
	if o.name != EngineAuto {
		if found.engine, found.err = o.store.Find(ctx, o.name, probe); found.err != nil {
			found.err = fmt.Errorf("%s %w", setting.Engine, found.err)
		} else if pre != "" && !found.engine.Opens {
			found.lacks = unknownPreTokenizer(pre, found.engine.String())
		}
		return found
	}
	if knows, err := engines.Builtin(probe); knows || err != nil {
		return opener{engine: own, err: err}
	}
	kept, err := o.store.List(ctx, probe)
	if newest := slices.IndexFunc(kept, func(e engines.Engine) bool { return e.Opens }); newest >= 0 {
		return opener{engine: kept[newest]}
	}
	if err == nil && len(kept) == 0 {
		err = llama.NeedBuiltin(llamacpp.WithoutBuiltin())
	}
	if err != nil {
		return opener{err: err}
	}
	than := "the built-in llama.cpp (" + builtin.Date + ")"
	if !llama.HasBuiltin() {
		than = "what was pulled"
	}
	return opener{lacks: fmt.Sprintf("%s is newer than %s: proctor engine pull, or %s", newIn(file), than,
		setting.Engine.As("DIR"))}
}

// nameOf is an engine in a word or two for people.
func nameOf(e engines.Engine) string {
	if e.Folder == "" {
		return EngineBuiltin
	}
	return e.Name + " (" + e.Release + ")"
}

// newIn names what of a file the compiled-in llama.cpp does not know.
func newIn(file *gguf.File) string {
	name := file.Architecture()
	if knows, err := engines.Builtin(gguf.ProbeOf(name, "")); !knows || err != nil {
		return name
	}
	var types []string
	for _, t := range file.Types() {
		if knows, err := engines.Builtin(gguf.ProbeOf(name, "", t.Type)); err == nil && !knows {
			types = append(types, t.Type.String())
		}
	}
	if pre, _ := file.PreTokenizer(); len(types) == 0 {
		return "the pre-tokenizer " + pre
	}
	return "the tensor type " + strings.Join(types, ", ")
}
