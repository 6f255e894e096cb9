// Norms that take the mean away first: https://arxiv.org/abs/1607.06450.
#pragma once

#include "elements.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// Computes a GGML_OP_NORM of rows of floats. All threads call it, each for some rows. The mean of large values is
// off by what floats lose as they are added up: the mean of the differences from it puts that back.
void norm(const compute_params *params, ggml_tensor *op) {
	const int64_t size = op->ne[0], rows = ggml_nrows(op);
	float epsilon;
	memcpy(&epsilon, op->op_params, sizeof epsilon);
	for (int64_t r = rows * params->ith / params->nth; r < rows * (params->ith + 1) / params->nth; r++) {
		const int64_t i1 = r % op->ne[1], i2 = r / op->ne[1] % op->ne[2], i3 = r / op->ne[1] / op->ne[2];
		const float *from = tensor_at<float>(op->src[0], i1, i2, i3);
		float *to = const_cast<float *>(tensor_at<float>(op, i1, i2, i3));
		four_sums values, rests, squares;
		each_of_four(size, [&](int64_t i, int j) { values.sum[j] = add(values.sum[j], load_first(from + i, size - i)); });
		const f32x16 about = broadcast(values.total() / (float) size);
		each_of_four(size, [&](int64_t i, int j) {
			const f32x16 v = select(first_lanes(size - i), sub(load_first(from + i, size - i), about), zeros());
			rests.sum[j] = add(rests.sum[j], v);
		});
		const f32x16 mean = add(about, broadcast(rests.total() / (float) size));
		each_of_four(size, [&](int64_t i, int j) {
			const f32x16 v = select(first_lanes(size - i), sub(load_first(from + i, size - i), mean), zeros());
			squares.sum[j] = fmadd(v, v, squares.sum[j]);
		});
		const f32x16 scale = broadcast(1 / std::sqrt(squares.total() / (float) size + epsilon));
		for (int64_t i = 0; i < size; i += vector) {
			store_first(to + i, mul(sub(load_first(from + i, size - i), mean), scale), size - i);
		}
	}
}

inline operation norm_for(const ggml_tensor *op) {
	return has_rows_of_floats(op) && has_rows_of_floats(op->src[0]) ? norm : nullptr;
}

} // namespace kernels::PROCTOR_LEVEL
