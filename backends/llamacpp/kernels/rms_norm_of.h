// Root mean square norms: https://arxiv.org/abs/1910.07467.
#pragma once

#include "elements.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// Computes a GGML_OP_RMS_NORM, whose rows are whole vectors. All threads call it. Squares are added up in four vectors, which do
// not wait for each other.
void rms_norm(const compute_params *params, ggml_tensor *op) {
	const int64_t size = op->ne[0], rows = ggml_nrows(op);
	float epsilon;
	memcpy(&epsilon, op->op_params, sizeof epsilon);
	for (int64_t r = rows * params->ith / params->nth; r < rows * (params->ith + 1) / params->nth; r++) {
		const int64_t i1 = r % op->ne[1], i2 = r / op->ne[1] % op->ne[2], i3 = r / op->ne[1] / op->ne[2];
		const float *from = tensor_at<float>(op->src[0], i1, i2, i3);
		float *to = const_cast<float *>(tensor_at<float>(op, i1, i2, i3));
		four_sums squares;
		each_of_four(size, [&](int64_t i, int j) {
			const f32x16 v = load(from + i);
			squares.sum[j] = fmadd(v, v, squares.sum[j]);
		});
		const float mean = squares.total() / (float) size;
		const f32x16 scale = broadcast(1 / std::sqrt(mean + epsilon));
		for (int64_t i = 0; i < size; i += vector) {
			store(to + i, mul(load(from + i), scale));
		}
	}
}

inline operation rms_norm_for(const ggml_tensor *op) {
	return op->ne[0] % vector == 0 && has_rows_of_floats(op) && has_rows_of_floats(op->src[0]) ? rms_norm : nullptr;
}

} // namespace kernels::PROCTOR_LEVEL
