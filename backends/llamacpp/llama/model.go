package llama

// #include <stdlib.h>
// #include "engine.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/cgo"
	"slices"
	"unsafe"

	"proctor/backends/llamacpp/engine"
	"proctor/backends/llamacpp/kernels"
	"proctor/backends/machine"
)

// Model is a loaded model: its vocabulary and, unless that was all that was asked for, its tensors.
type Model struct {
	c       *C.struct_llama_model
	vocab   *C.struct_llama_vocab
	log     *listener
	packed  bool           // for package kernels
	prompts string         // the level of package kernels for prompts' tokens; "": none of their own
	spoken  map[int32]bool // the control tokens that have a text

	collected *Imatrix // that engines add to; nil for none
}

// LoadOptions say how a model is loaded.
type LoadOptions struct {
	VocabularyOnly bool // leave out its tensors
	Unmapped       bool // read the file into memory instead of mapping it there
	GPULayers      int  // layers to put on the GPUs, the last ones; one more than the model has for its output too
	Kernels        bool // pack the weights that stay on the CPU for package kernels, and compute with them

	// PromptLevel is what package kernels multiplies prompts' tokens with, as [kernels.Attach] takes it; "": with what all are.
	PromptLevel string

	GPUs  []engine.Device // of those that GPUs lists, to use and no others
	Split []float32       // the share of the layers that each GPU gets
	// Progress is told which share of the model has been read, from 0 to 1.
	Progress func(share float64)
	// Log gets the engine's log, line by line, until the model is closed. It must not use the model.
	Log func(level slog.Level, text string)
}

// Load reads the model at path. The end of ctx stops it.
func Load(ctx context.Context, path string, o LoadOptions) (*Model, error) {
	name, free := cString(path)
	defer free()
	params := C.llama_model_default_params()
	params.vocab_only, params.n_gpu_layers = C.bool(o.VocabularyOnly), C.int32_t(o.GPULayers)
	params.use_mmap = C.bool(!o.Unmapped)
	// What stays on the CPU would lie unpacked in a buffer of the GPU's driver otherwise.
	params.no_host = C.bool(o.Kernels)
	devices := make([]C.ggml_backend_dev_t, len(o.GPUs))
	for i, d := range o.GPUs {
		name, free := cString(d.Name)
		defer free()
		devices[i] = C.ggml_backend_dev_by_name(name)
	}
	split := (*C.float)(unsafe.SliceData(o.Split))
	handle := cgo.NewHandle(func(done float64) bool {
		if o.Progress != nil {
			o.Progress(done)
		}
		return ctx.Err() == nil
	})
	defer handle.Delete()
	m := &Model{log: listen(path, o.Log), packed: o.Kernels, prompts: o.PromptLevel}
	kernels.Load(o.Kernels, machine.Nodes(), func() {
		m.c = C.proctor_model_load(name, params, unsafe.SliceData(devices), C.int32_t(len(devices)), split, C.uintptr_t(handle))
	})
	if err := m.check(); err != nil {
		m.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.vocab = C.llama_model_get_vocab(m.c)
	m.spoken = m.thinkingTokens()
	return m, nil
}

//export proctorProgress
func proctorProgress(done C.float, handle C.uintptr_t) C.bool {
	goOn := cgo.Handle(handle).Value().(func(float64) bool)
	return C.bool(goOn(float64(done)))
}

// check refuses models that cannot continue a text token by token.
func (m *Model) check() error {
	switch {
	case m.c == nil:
		return errors.New("llama.cpp cannot load it: " + m.log.reason("it gave no reason"))
	case bool(C.llama_model_has_encoder(m.c)):
		return errors.New("an encoder model, which cannot complete a prompt: choose a decoder-only language model")
	case bool(C.llama_model_is_diffusion(m.c)):
		return errors.New("a diffusion model, which does not write token by token: choose another model")
	case m.value("attention.causal") == "false" || !slices.Contains([]string{"", "0"}, m.value("pooling_type")):
		return errors.New("an embedding model, which turns a text into numbers and does not continue it: choose a language model")
	case C.llama_vocab_type(C.llama_model_get_vocab(m.c)) == C.LLAMA_VOCAB_TYPE_NONE:
		return errors.New("a model without a vocabulary: it cannot read text")
	}
	return nil
}

// value is what the model's file says under a key of its architecture; "" where it says nothing.
func (m *Model) value(key string) string {
	read := func(key string) string {
		name, free := cString(key)
		defer free()
		var room [64]C.char
		if C.llama_model_meta_val_str(m.c, name, &room[0], C.size_t(len(room))) < 0 {
			return ""
		}
		return C.GoString(&room[0])
	}
	return read(read("general.architecture") + "." + key)
}

// Close frees the model; it is safe to call twice, and on nil.
func (m *Model) Close() {
	if m == nil {
		return
	}
	if m.c != nil {
		C.llama_model_free(m.c)
		m.c = nil
	}
	m.log.Close()
}

// Type is what llama.cpp calls the model, such as "llama 1B Q4_K - Medium".
func (m *Model) Type() string {
	var room [256]C.char
	C.llama_model_desc(m.c, &room[0], C.size_t(unsafe.Sizeof(room)))
	return C.GoString(&room[0])
}

// cString returns s for C and the function that frees it.
func cString(s string) (*C.char, func()) {
	c := C.CString(s)
	return c, func() { C.free(unsafe.Pointer(c)) }
}
