package llama

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/machine"
)

// Model is a loaded model: its vocabulary and, unless only that was wanted, its tensors.
type Model struct {
	lib    *Library
	c      unsafe.Pointer // llama_model
	vocab  unsafe.Pointer // llama_vocab, of the model
	log    *listener
	packed bool // for package kernels

	adapters []adapter
	cache    func() engine.Cache // that engines have
}

// LoadOptions say how a model is loaded.
type LoadOptions struct {
	VocabularyOnly bool // leave out its tensors
	GPULayers      int  // layers to put on the GPUs, the last ones; one more than the model has for its output too
	Kernels        bool // pack the weights that stay on the CPU for package kernels, and compute with them

	GPUs []engine.Device // of those that GPUs lists, to use and no others; each gets a share of the layers by its free memory
	// Progress gets the share of the model that has been read, from 0 to 1.
	Progress func(share float64)
	// Log gets the engine's log, line by line, until the model is closed. It must not use the model.
	Log func(level slog.Level, text string)
}

// Load reads the model at path. The end of ctx stops it.
func (l *Library) Load(ctx context.Context, path string, o LoadOptions) (*Model, error) {
	p, fields := l.LlamaModelDefaultParams(), l.layout.Model
	p.SetBool(fields.VocabOnly, o.VocabularyOnly)
	p.SetInt(fields.GPULayers, o.GPULayers)
	// What stays on the CPU would lie unpacked in a buffer of the GPU's driver otherwise.
	p.SetBool(fields.NoHost, o.Kernels)
	var kept runtime.Pinner // until the model is loaded
	defer kept.Unpin()
	devices := make([]unsafe.Pointer, len(o.GPUs)+1) // NULL is the last: without a list, llama.cpp takes what it finds
	split := make([]float32, len(o.GPUs))
	for i, d := range o.GPUs {
		devices[i], split[i] = l.GgmlBackendDevByName(d.Name), float32(d.Free)
	}
	kept.Pin(&devices[0])
	p.SetPointer(fields.Devices, unsafe.Pointer(&devices[0]))
	if len(split) > 0 {
		kept.Pin(&split[0])
		p.SetPointer(fields.TensorSplit, unsafe.Pointer(&split[0]))
	}
	number := loads.add(func(share float32) bool {
		if o.Progress != nil {
			o.Progress(float64(share))
		}
		return ctx.Err() == nil
	})
	defer loads.Delete(number)
	p.SetAddress(fields.Progress, progressCallback())
	p.SetAddress(fields.ProgressData, number)
	m := &Model{lib: l, log: listen(path, o.Log), packed: o.Kernels}
	kernels.Load(o.Kernels, machine.Nodes(), func() { m.c = l.LlamaModelLoadFromFile(path, p) })
	if err := m.check(); err != nil {
		m.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.cache = sync.OnceValue(m.readCache)
	m.vocab = l.LlamaModelGetVocab(m.c)
	return m, nil
}

// numbered are values that C gets the numbers of: a pointer to Go's memory must not lie in C's.
type numbered[T any] struct {
	sync.Map
	last atomic.Uintptr
}

func (n *numbered[T]) add(value T) (number uintptr) {
	number = n.last.Add(1)
	n.Store(number, value)
	return number
}

func (n *numbered[T]) find(number uintptr) (value T, found bool) {
	stored, found := n.Load(number)
	if found {
		value = stored.(T)
	}
	return value, found
}

// loads are the progress functions of models that are being loaded.
var loads numbered[func(share float32) bool]

// loading gets the share of a model that was read, and returns whether to continue.
func loading(share float32, number uintptr) bool {
	follow, found := loads.find(number)
	return found && follow(share)
}

// vocabularyNone is LLAMA_VOCAB_TYPE_NONE.
const vocabularyNone = 0

// check refuses models that cannot continue a text token by token.
func (m *Model) check() error {
	switch {
	case m.c == nil:
		return errors.New("llama.cpp cannot load it: " + m.log.reason("it gave no reason"))
	case m.lib.LlamaModelHasEncoder(m.c):
		return errors.New("an encoder model, which cannot complete a prompt: choose a decoder-only language model")
	case m.lib.LlamaModelIsDiffusion(m.c):
		return errors.New("a diffusion model, which does not write token by token: choose another model")
	case m.lib.LlamaVocabType(m.lib.LlamaModelGetVocab(m.c)) == vocabularyNone:
		return errors.New("a model without a vocabulary: it cannot read text")
	}
	return nil
}

// Close frees the model; it is safe to call twice, and on nil.
func (m *Model) Close() {
	if m == nil {
		return
	}
	if m.c != nil {
		m.lib.LlamaModelFree(m.c)
		m.c = nil
	}
	m.log.Close()
}

// Type returns llama.cpp's name for the kind of model, such as "llama 1B Q4_K - Medium".
func (m *Model) Type() string {
	var room [256]byte
	m.lib.LlamaModelDesc(m.c, &room[0], uint(len(room)))
	return goString(&room[0])
}

// adapter is a LoRA adapter of a model, which frees it.
type adapter struct {
	c     unsafe.Pointer // llama_adapter_lora
	scale float32
}

// Adapt adds a LoRA adapter to engines that are made from now on: its products, times scale, are added to the weights' products.
func (m *Model) Adapt(path string, scale float32) error {
	if m.lib.LlamaAdapterLoraInit == nil || m.lib.LlamaSetAdapterLora == nil && m.lib.LlamaSetAdaptersLora == nil {
		return errors.New("this llama.cpp has no LoRA adapters")
	}
	a := adapter{m.lib.LlamaAdapterLoraInit(m.c, path), scale}
	if a.c == nil {
		return fmt.Errorf("%s: llama.cpp cannot load it: %s", path, m.log.reason("it gave no reason"))
	}
	m.adapters = append(m.adapters, a)
	return nil
}

// adapt gives a context the model's adapters.
func (e *Engine) adapt(adapters []adapter) error {
	if len(adapters) == 0 {
		return nil
	}
	all, scales := make([]unsafe.Pointer, len(adapters)), make([]float32, len(adapters))
	for i, a := range adapters {
		all[i], scales[i] = a.c, a.scale
	}
	failed := int32(0)
	if e.lib.LlamaSetAdaptersLora != nil {
		failed = e.lib.LlamaSetAdaptersLora(e.context, &all[0], uint(len(all)), &scales[0])
	} else {
		for i := range all {
			failed = min(failed, e.lib.LlamaSetAdapterLora(e.context, all[i], scales[i]))
		}
	}
	if failed != 0 {
		return errors.New("llama.cpp does not take the LoRA adapters: " + e.log.reason("it gave no reason"))
	}
	return nil
}
