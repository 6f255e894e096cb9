// Attention over a key/value cache, without the scores of all tokens ever being written to memory.
#pragma once

#include <cstddef>

struct ggml_tensor;

namespace kernels {

struct compute_params;

class flash_attn {
  public:
	virtual ~flash_attn() = default;

	// Says whether it can compute the operation, a GGML_OP_FLASH_ATTN_EXT.
	virtual bool takes(const ggml_tensor *op) const = 0;

	// Returns the bytes that compute needs in params->wdata.
	virtual size_t work_size(int threads, const ggml_tensor *op) const = 0;

	// Computes the operation over a cache of which params tells what is known. All threads call it.
	virtual void compute(const compute_params *params, ggml_tensor *op) const = 0;
};

} // namespace kernels
