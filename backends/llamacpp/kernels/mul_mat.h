// Multiplies matrices of weights with activations.
#pragma once

#include <cstddef>

struct ggml_tensor;
struct ggml_compute_params;

namespace kernels {

// A way to multiply with one type of weights.
class matmul {
  public:
	virtual ~matmul() = default;

	// Writes the weights of a matrix, as ggml stores them, to packed, which takes as many bytes.
	virtual void pack(const ggml_tensor *matrix, void *packed, const void *data) const = 0;

	// Returns the bytes that compute needs in params->wdata.
	virtual size_t work_size(const ggml_tensor *op) const = 0;

	// Computes an operation whose first source is packed. All threads call it.
	virtual void compute(const ggml_compute_params *params, ggml_tensor *op) const = 0;
};

// Returns the way for a matrix; nullptr where there is none.
const matmul *matmul_for(const ggml_tensor *matrix);

} // namespace kernels
