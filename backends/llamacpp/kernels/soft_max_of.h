// Softmaxes of rows, as of the scores of experts.
#pragma once

#include "elements.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// Computes the softmax of a row of scaled values. Weights are added up in four vectors, as norms are.
inline void soft_max_row(const float *from, float *to, int64_t size, f32x16 scale) {
	f32x16 highest = broadcast(-INFINITY);
	four_sums all;
	for (int64_t i = 0; i < size; i += vector) {
		const f32x16 v = mul(load_first(from + i, size - i), scale);
		highest = max(highest, select(first_lanes(size - i), v, highest));
	}
	const f32x16 peak = broadcast(reduce_max(highest));
	each_of_four(size, [&](int64_t i, int j) {
		const f32x16 weights = exp_any(sub(mul(load_first(from + i, size - i), scale), peak));
		store_first(to + i, weights, size - i);
		all.sum[j] = add(all.sum[j], select(first_lanes(size - i), weights, zeros()));
	});
	const f32x16 inverse = broadcast(1 / all.total());
	for (int64_t i = 0; i < size; i += vector) {
		store_first(to + i, mul(load_first(to + i, size - i), inverse), size - i);
	}
}

// Computes a GGML_OP_SOFT_MAX that soft_max_for takes. All threads call it, each for some rows.
void soft_max(const compute_params *params, ggml_tensor *op) {
	float scale;
	memcpy(&scale, op->op_params, sizeof scale);
	const int64_t rows = ggml_nrows(op);
	for (int64_t r = rows * params->ith / params->nth; r < rows * (params->ith + 1) / params->nth; r++) {
		const int64_t i1 = r % op->ne[1], i2 = r / op->ne[1] % op->ne[2], i3 = r / op->ne[1] / op->ne[2];
		float *to = const_cast<float *>(tensor_at<float>(op, i1, i2, i3));
		soft_max_row(tensor_at<float>(op->src[0], i1, i2, i3), to, op->ne[0], broadcast(scale));
	}
}

// Returns what computes a GGML_OP_SOFT_MAX; nullptr where that is ggml's: with a mask or sinks, which attention takes itself.
inline operation soft_max_for(const ggml_tensor *op) {
	const bool alone = op->src[1] == nullptr && op->src[2] == nullptr;
	return alone && has_rows_of_floats(op) && has_rows_of_floats(op->src[0]) ? soft_max : nullptr;
}

} // namespace kernels::PROCTOR_LEVEL
