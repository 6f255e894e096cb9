// Multiplies matrices of weights with activations.
#pragma once

#include <cstddef>

struct ggml_tensor;

namespace kernels {

struct compute_params;

// Multiplies with one type of weights.
class mul_mat {
  public:
	virtual ~mul_mat() = default;

	// Writes the weights of a matrix, as ggml stores them, to packed, which takes packed_size bytes.
	virtual void pack(const ggml_tensor *weights, void *packed, const void *data) const = 0;

	// Returns how many bytes packed weights take: as many as before, where the rows of each matrix fill tiles.
	virtual size_t packed_size(const ggml_tensor *weights) const = 0;

	// Returns the bytes that compute needs in params->wdata.
	virtual size_t work_size(int threads, const ggml_tensor *op) const = 0;

	// Computes a GGML_OP_MUL_MAT or a GGML_OP_MUL_MAT_ID whose first source is packed. All threads call it.
	virtual void compute(const compute_params *params, ggml_tensor *op) const = 0;
};

} // namespace kernels
