// Where packed weights and caches lie in the machine's memory.
#pragma once

#include <cstddef>

namespace kernels {

struct ggml_library;

// Has the buffers that a ggml allocates from now on laid out as all threads read them: its own, in which caches lie, and so what we
// allocate of it for packed weights. Their pages are the system's until something is written there, and again once they are cleared.
void lay_out_buffers(const ggml_library &of);

} // namespace kernels
