package llamacpp

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/memory"
	"proctor/backends/machine"
	"proctor/backends/setting"
)

// Options say which model to open and how to run it. Zero values choose what fits the machine and the work.
type Options struct {
	// Engine is the folder of a published llama.cpp, or "" for the one that is compiled in. Without Threads they are the
	// physical cores that may be used, less those that others use; without Context, what the planned work needs, up to
	// what the model was trained for.
	backends.Settings

	Path           string // of a GGUF file; of a split model, its first part
	SplitAsDefault string // for the [backends.ModelInfo]
	SHA256         string // of the file where that is known, in hexadecimal; "": it is computed
	Yields         bool   // it computes on fewer threads while others use cores; set where Threads is 0
	Batch          int    // prompt tokens given to the engine at a time; 0: 512
	Microbatch     int    // tokens the engine computes at a time; 0: 512, or Batch where that is less

	// Like is the engine of the run to resume: its slots, microbatch, flash attention and kind of cache are taken.
	Like *backends.EngineInfo

	// MemoryLimit is taken instead of the memory that is free, in bytes; 0 measures it.
	MemoryLimit int64
	// Progress gets the share of the model that has been read, from 0 to 1.
	Progress func(share float64)
	// Hashed gets the number of further bytes that the file's digest has read. It may be called in any goroutine.
	Hashed func(bytes int)
	// Warn gets warnings for people, in any goroutine.
	Warn func(text string)
	// Log gets llama.cpp's log, line by line. It must not use the model.
	Log func(level slog.Level, text string)

	library *llama.Library // of Engine, once the defaults are applied
	because string         // why Kernels are ggml's, where that was left open and proctor's cannot compute
}

const (
	defaultBatch  = 512
	defaultKVType = "f16"
)

// applyDefaults fills in what is left open and refuses what cannot be.
func (o *Options) applyDefaults() error {
	o.Model, o.KVType = cmp.Or(o.Model, o.Path), cmp.Or(o.KVType, defaultKVType)
	if o.Kernels == setting.Auto {
		o.Kernels = ""
	}
	if o.GPULayers == backends.NoLayers {
		o.GPULayers = 0
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"threads", o.Threads}, {"slots", o.Slots}, {"context", o.Context},
		{"batch", o.Batch}, {"microbatch", o.Microbatch},
	} {
		if n.value < 0 {
			return fmt.Errorf("%s: %d is below zero", n.name, n.value)
		}
	}
	if o.Slots > engine.MaxSequences {
		return fmt.Errorf("%d slots: llama.cpp has at most %d", o.Slots, engine.MaxSequences)
	}
	if err := o.chooseCache(); err != nil {
		return err
	}
	if o.Like != nil {
		o.Slots = cmp.Or(o.Slots, o.Like.Slots)
		o.Microbatch, o.Batch = cmp.Or(o.Microbatch, o.Like.Microbatch), cmp.Or(o.Batch, o.Like.Batch)
		o.Kernels = cmp.Or(o.Kernels, o.Like.Kernels)
		if o.GPULayers == backends.AutoLayers {
			o.GPULayers = backends.Layers(o.Like.GPULayers)
		}
	}
	if err := o.chooseEngine(); err != nil {
		return err
	}
	if err := o.chooseKernels(); err != nil {
		return err
	}
	if o.Threads == 0 {
		o.Threads, o.Yields = machine.Cores(), true
	}
	o.Batch = cmp.Or(o.Batch, defaultBatch)
	if o.Microbatch == 0 || o.Microbatch > o.Batch {
		o.Microbatch = min(defaultBatch, o.Batch)
	}
	return nil
}

// What computes on the CPU.
const (
	KernelsProctor = "proctor" // those of package kernels, and ggml's for the rest
	KernelsGGML    = "ggml"    // llama.cpp as it is
)

// own says whether proctor's kernels compute.
func (o *Options) own() bool { return o.Kernels != KernelsGGML }

// chooseCache settles the types of the cache. Proctor's attention computes with any two of them, llama.cpp's on a CPU as well.
func (o *Options) chooseCache() error {
	key, value, err := backends.CacheTypes(o.KVType)
	if err != nil {
		return err
	}
	for _, name := range []string{key, value} {
		if err := checkKVType(name); err != nil {
			return err
		}
	}
	o.KVType = backends.CacheType(key, value)
	if key != value && o.GPULayers != 0 && o.Warn != nil {
		o.Warn("cache " + o.KVType + ": most builds for GPUs have no attention for two types, and leave it to the CPU")
	}
	return nil
}

// needsFlash says whether the cache's values are such that llama.cpp reads them with flash attention alone.
func (o *Options) needsFlash() bool {
	_, value, _ := backends.CacheTypes(o.KVType)
	return needsFlash(value)
}

// checkKVType refuses a type that no cache has.
func checkKVType(name string) error {
	if types := llama.CacheTypes(); !slices.Contains(types, name) {
		return fmt.Errorf("unknown KV type %q: one of %s", name, strings.Join(types, ", "))
	}
	return nil
}

// checkBlocks refuses a cache whose blocks do not divide the model's heads: attention would read beyond a head's end. llama.cpp looks at
// it only where it chooses by itself whether to compute flash attention (llama_init_from_model).
func checkBlocks(file *gguf.File, keyType, valueType string) error {
	key, value := memory.HeadWidths(file)
	for _, of := range []struct {
		what, kind string
		width      int64
	}{{"keys", keyType, key}, {"values", valueType, value}} {
		if block, _, _ := gguf.Layout(strings.ToUpper(of.kind)); block > 1 && of.width%block != 0 {
			return fmt.Errorf("a cache with %s of type %s has blocks of %d numbers, and a head of this model has %d: give %s",
				of.what, of.kind, block, of.width, setting.KVType.As(defaultKVType))
		}
	}
	return nil
}

// WithoutBuiltin says what a user can do where no llama.cpp is compiled in, as [llama.NeedBuiltin] takes it.
func WithoutBuiltin() string { return setting.Engine.As("DIR") + ", proctor engine pull, or " }

// chooseEngine loads the llama.cpp to compute with.
func (o *Options) chooseEngine() (err error) {
	if o.Engine == "" {
		if err := llama.NeedBuiltin(WithoutBuiltin()); err != nil {
			return err
		}
	}
	o.library, err = llama.OpenLibrary(o.Engine)
	return err
}

// loaded says whether the engine is none that is compiled in.
func (o *Options) loaded() bool { return o.Engine != "" }

// chooseKernels chooses what computes on the CPU.
func (o *Options) chooseKernels() error {
	if _, err := kernels.Level(); err != nil {
		return err
	}
	if len(o.Adapters) > 0 {
		o.Kernels = cmp.Or(o.Kernels, KernelsGGML)
	}
	unable := o.library.Kernels()
	if o.Kernels == "" && o.loaded() && unable != nil {
		o.Kernels, o.because = KernelsGGML, unable.Error()
	}
	o.Kernels = cmp.Or(o.Kernels, DefaultKernels())
	switch {
	case o.own() && len(o.Adapters) > 0:
		return fmt.Errorf("kernels %q compute without LoRA adapters: choose %q", o.Kernels, KernelsGGML)
	case o.Kernels != KernelsGGML && o.Kernels != KernelsProctor:
		return fmt.Errorf("unknown kernels %q: %s or %s", o.Kernels, KernelsGGML, KernelsProctor)
	case o.own() && !kernels.Available():
		choice, _ := kernels.Choice()
		return fmt.Errorf("no kernels %q can compute here: %s: choose %q", o.Kernels, choice, KernelsGGML)
	case o.own() && unable != nil:
		return fmt.Errorf("kernels %q cannot compute in %s, %s: %w: choose %q", o.Kernels, o.Engine, o.library.Version(), unable, KernelsGGML)
	}
	return nil
}

// DefaultKernels are the kernels that compute by default.
func DefaultKernels() string {
	if kernels.Available() {
		return KernelsProctor
	}
	return KernelsGGML
}

// flash says whether to use flash attention; a resumed run keeps the setting it began with, unless proctor's kernels
// compute alone. With ggml's kernels on the CPU it is slower than plain attention, so it is on only where llama.cpp
// requires it: with a quantised V cache. On a GPU it is usually the faster one.
func (o *Options) flash() bool {
	if o.needsFlash() || o.own() && o.GPULayers == 0 {
		return true
	}
	if o.Like != nil {
		return o.Like.FlashAttention
	}
	return o.GPULayers != 0
}

func needsFlash(kvType string) bool { return kvType != "f16" && kvType != "f32" && kvType != "bf16" }

// settings returns the engine's settings. What the options leave open is 0, or what is fastest on most CPUs.
func (o *Options) settings() engine.Settings {
	level := ""
	if o.own() {
		level, _ = kernels.Level()
	}
	return engine.Settings{
		EngineInfo: backends.EngineInfo{
			Name: "llamacpp", Version: o.library.Version(),
			Slots: o.Slots, Threads: o.Threads, GPULayers: int(o.GPULayers), KVType: o.KVType,
			FlashAttention: o.flash(),
			KVWindowed:     o.Like != nil && o.Like.KVWindowed,
			Batch:          o.Batch, Microbatch: o.Microbatch, Kernels: o.Kernels, Context: o.Context,
			KernelsBecause: o.because, Loaded: o.loaded(),
			KernelLevel: level, LevelForced: level != "" && kernels.Forced(),
			Features: strings.Join(o.library.DescribeCPU().Compiled, " "),
		},
	}
}
