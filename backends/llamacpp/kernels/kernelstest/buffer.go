package kernelstest

// #include "ggml-backend.h"
import "C"

import (
	"unsafe"

	"proctor/backends/llamacpp/kernels"
)

// WithBuffer calls use with size bytes, allocated as ggml's CPU backend allocates a cache, and with what fills them as it clears one.
func WithBuffer(size int, use func(memory []byte, fill func(value byte))) {
	kernels.Available()
	buffer := C.ggml_backend_buft_alloc_buffer(C.ggml_backend_cpu_buffer_type(), C.size_t(size))
	defer C.ggml_backend_buffer_free(buffer)
	memory := unsafe.Slice((*byte)(C.ggml_backend_buffer_get_base(buffer)), size)
	use(memory, func(value byte) { C.ggml_backend_buffer_clear(buffer, C.uint8_t(value)) })
}
