// Root mean square norms: https://arxiv.org/abs/1910.07467.
#pragma once

#include "gemm.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// Computes a GGML_OP_RMS_NORM, whose rows are whole vectors. All threads call it. Squares are added up in four vectors, which do
// not wait for each other.
void rms_norm(const ggml_compute_params *params, ggml_tensor *op) {
	const int64_t size = op->ne[0], rows = ggml_nrows(op);
	float epsilon;
	memcpy(&epsilon, op->op_params, sizeof epsilon);
	for (int64_t r = rows * params->ith / params->nth; r < rows * (params->ith + 1) / params->nth; r++) {
		const int64_t i1 = r % op->ne[1], i2 = r / op->ne[1] % op->ne[2], i3 = r / op->ne[1] / op->ne[2];
		const float *from = tensor_at<float>(op->src[0], i1, i2, i3);
		float *to = const_cast<float *>(tensor_at<float>(op, i1, i2, i3));
		f32x16 sum[4] = {zeros(), zeros(), zeros(), zeros()};
		for (int64_t i = 0; i < size; i += 4 * vector) {
#pragma GCC unroll 4
			for (int j = 0; j < 4; j++) {
				if (i + j * vector < size) {
					const f32x16 v = load(from + i + j * vector);
					sum[j] = fmadd(v, v, sum[j]);
				}
			}
		}
		const float mean = reduce_add(add(add(sum[0], sum[1]), add(sum[2], sum[3]))) / (float) size;
		const f32x16 scale = broadcast(1 / std::sqrt(mean + epsilon));
		for (int64_t i = 0; i < size; i += vector) {
			store(to + i, mul(load(from + i), scale));
		}
	}
}

} // namespace kernels::PROCTOR_LEVEL
