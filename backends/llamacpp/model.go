package llamacpp

import (
	"cmp"
	"context"
	"fmt"

	"proctor/backends"
	"proctor/backends/gguf"
	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/llamacpp/llama"
	"proctor/backends/llamacpp/memory"
	"proctor/backends/llamacpp/quantize"
	"proctor/backends/llamacpp/schedule"
	"proctor/backends/llamacpp/tune"
	"proctor/backends/machine"
)

// Model is an opened GGUF model. It implements [backends.Model], [backends.Tokenizer], [backends.Planner] and
// [backends.Scorer].
type Model struct {
	Vocabulary // with the tensors too
	options    Options
	memory     memory.Planner
	digest     *digest
	requested  engine.Settings // as the options say
	adapters   []backends.Adapter

	settings engine.Settings // of the engine; the requested ones before Plan

	// What Plan sets up; nil and zero before.
	engine     *llama.Engine
	allocation backends.Allocation
	threads    *tune.Threads // nil where all compute

	watch      *machine.Watch
	othersMark machine.Mark // of the last call of Others
}

var _ interface {
	backends.Model
	backends.Planner
	backends.Scorer
	backends.Budgeter
	backends.LoadReporter
} = (*Model)(nil)

// Open checks the header of the model, then loads it. The end of ctx stops the load.
func Open(ctx context.Context, options Options) (*Model, error) {
	if err := options.applyDefaults(); err != nil {
		return nil, err
	}
	file, err := options.openSound()
	if err == nil {
		err = file.Answers()
	}
	if err != nil {
		return nil, err
	}
	key, value, _ := backends.CacheTypes(options.KVType)
	if err := checkBlocks(file, key, value); err != nil {
		return nil, fmt.Errorf("%s: %w", options.Path, err)
	}
	m := &Model{Vocabulary: Vocabulary{file: file}, options: options, watch: machine.NewWatch(),
		digest: startDigest(file, options.SHA256, options.Hashed)}
	m.memory = memory.Planner{
		File: file, Checkpoints: schedule.MostCheckpoints, KeepWindows: options.Like != nil || options.loaded(),
		Available: cmp.Or(options.MemoryLimit, machine.FreeMemory()),
		Limit:     machine.AddressSpaceLack,
		Packs: func(t gguf.Tensor) bool {
			return options.own() && kernels.Packs(uint32(t.Type), t.Shape[0], t.Shape[1])
		},
		Warn: options.Warn,
	}
	adapters, err := options.openAdapters(file)
	if err == nil {
		err = m.load(ctx, adapters)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Model) load(ctx context.Context, adapters []*gguf.File) error {
	gpus, err := m.place()
	if err != nil {
		return err
	}
	m.weights, err = m.options.library.Load(ctx, m.options.Path, llama.LoadOptions{
		GPULayers: int(m.options.GPULayers), GPUs: gpus,
		Kernels: m.options.own(), Progress: m.options.Progress, Log: m.options.Log,
	})
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	if err := m.adapt(ctx, adapters); err != nil {
		return err
	}
	m.requested = m.options.settings()
	m.requested.Devices = m.memory.Used()
	m.requested.Offloaded = int(m.options.GPULayers) > int(m.file.ArchInt("block_count", 0))
	if m.options.own() && !m.requested.Offloaded {
		types := map[string]uint32{}
		for _, t := range m.file.Types() {
			types[t.Type.String()] = uint32(t.Type)
		}
		m.requested.Multiplying = kernels.Multiplying(types)
	}
	m.rotate()
	if m.options.Yields {
		m.requested.Watch = m.watch
	}
	m.settings = m.requested
	m.memory.Cache = m.weights.Cache()
	return nil
}

// Close frees the model. It is safe to call twice.
func (m *Model) Close() error {
	if m.closed {
		return nil
	}
	m.digest.Close()
	m.release()
	return m.Vocabulary.Close()
}

// release frees what Plan set up.
func (m *Model) release() {
	if m.engine != nil {
		m.engine.Close()
		m.engine = nil
	}
}

// Info implements [backends.Model]. The file's digest is computed beside the load; Info waits for it.
func (m *Model) Info(ctx context.Context) (backends.Info, error) {
	sum, err := m.digest.wait(ctx)
	if err != nil {
		return backends.Info{}, err
	}
	info := backends.Info{Model: Describe(m.file, m.options.Model, sum), Engine: m.settings.EngineInfo}
	info.Model.Adapters, info.Model.SplitAsDefault = m.adapters, m.options.SplitAsDefault
	if slow := m.options.library.DescribeCPU().Warning(); slow != "" {
		info.Notes = append(info.Notes, slow)
	}
	return info, nil
}

// Describe describes a file's model for a run's record; ref is how the user named it, sum the file's digest.
func Describe(file *gguf.File, ref, sum string) backends.ModelInfo {
	types := make([]backends.TensorType, 0, 4)
	for _, t := range file.Types() {
		types = append(types, backends.TensorType{Type: t.Type.String(), Tensors: t.Tensors, Bytes: t.Bytes})
	}
	return backends.ModelInfo{
		Ref: ref, Name: file.Name(), Architecture: file.Architecture(), Parameters: file.Parameters(),
		SizeBytes: file.TensorBytes(), Quantization: file.FileType(), BitsPerWeight: file.BitsPerWeight(), FileSHA256: sum,
		ContextLength: file.ContextLength(), ChatTemplateSHA256: file.ChatTemplateSHA256(),
		TensorTypes: types, FellBack: quantize.FellBack(file),
	}
}

// CheckBudget implements [backends.Budgeter]: it keeps every one.
func (m *Model) CheckBudget(backends.Budget) error { return nil }

// Others implements [backends.LoadReporter].
func (m *Model) Others() backends.Load { return m.watch.Since(&m.othersMark) }
