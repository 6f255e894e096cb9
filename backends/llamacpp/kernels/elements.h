// Operations that compute each value alone.
#pragma once

#include "functions.h"

namespace kernels::PROCTOR_LEVEL {

// Part of a row that a thread computes.
struct row_part {
	int64_t i1, i2, i3, first, end;

	float *to(const ggml_tensor *t) const { return const_cast<float *>(tensor_at<float>(t, i1, i2, i3)); }
};

// Calls compute for each part of rows that this thread computes: a token's values alone occupy all threads.
template <class function> void each_part(const compute_params *params, const ggml_tensor *op, function compute) {
	constexpr int64_t size = 32 * vector;
	const int64_t in_row = (op->ne[0] + size - 1) / size, all = in_row * ggml_nrows(op);
	for (int64_t i = all * params->ith / params->nth; i < all * (params->ith + 1) / params->nth; i++) {
		const int64_t row = i / in_row, first = i % in_row * size;
		compute(row_part{
			row % op->ne[1], row / op->ne[1] % op->ne[2], row / op->ne[1] / op->ne[2], first, std::min(first + size, op->ne[0])});
	}
}

// Says whether rows of a tensor are floats side by side.
inline bool has_rows_of_floats(const ggml_tensor *t) { return t->type == GGML_TYPE_F32 && t->nb[0] == sizeof(float); }

} // namespace kernels::PROCTOR_LEVEL
