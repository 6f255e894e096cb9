package kernelstest

// #include "ggml-backend.h"
import "C"

import "proctor/backends/llamacpp/kernels"

// WithBuffer calls use with the address of size bytes, allocated as ggml's CPU backend allocates a cache.
func WithBuffer(size int, use func(address uint64)) {
	kernels.Available()
	buffer := C.ggml_backend_buft_alloc_buffer(C.ggml_backend_cpu_buffer_type(), C.size_t(size))
	defer C.ggml_backend_buffer_free(buffer)
	use(uint64(uintptr(C.ggml_backend_buffer_get_base(buffer))))
}
