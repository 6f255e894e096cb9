// Attention over a key/value cache, without the scores of all tokens ever being written to memory.
#pragma once

#include <cstddef>

struct ggml_tensor;
struct ggml_compute_params;

namespace kernels {

// Says whether attention can compute the operation, a GGML_OP_FLASH_ATTN_EXT.
bool attention_takes(const ggml_tensor *op);

// Computes the operation; false, and nothing is done, where the threads' attention is ggml's. All threads call it.
bool attention(const ggml_compute_params *params, ggml_tensor *op);

// Returns the bytes that attention needs in params->wdata.
size_t attention_work_size(int threads, const ggml_tensor *op);

} // namespace kernels
