package llama

import (
	"errors"
	"fmt"
	"unsafe"
)

// adapter is a LoRA adapter of a model, which frees it.
type adapter struct {
	c     unsafe.Pointer // llama_adapter_lora
	scale float32
}

// Adapt has engines that are made from now on add a LoRA adapter's products, times scale, to those of the model's weights.
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
