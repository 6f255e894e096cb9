// Systems of equations with triangular matrices, as gated delta nets have them.
#pragma once

#include "elements.h"

namespace kernels::PROCTOR_LEVEL {

// Solves for sixteen columns, or the last count: each row's is what is left of it by the ones above, one after the other.
inline void solve_columns(const float *triangle, const float *from, float *to, int64_t rows, int64_t apart, int64_t count) {
	for (int64_t row = 0; row < rows; row++) {
		const float *factors = triangle + row * rows;
		f32x16 sum = zeros();
		for (int64_t above = 0; above < row; above++) {
			sum = fmadd(broadcast(factors[above]), load_first(to + above * apart, count), sum);
		}
		const f32x16 rest = sub(load_first(from + row * apart, count), sum);
		store_first(to + row * apart, div(rest, broadcast(factors[row])), count);
	}
}

// Computes a GGML_OP_SOLVE_TRI. All threads call it, each for some columns.
void solve_tri(const compute_params *params, ggml_tensor *op) {
	const int64_t columns = op->ne[0], tiles = (columns + vector - 1) / vector, all = tiles * op->ne[2] * op->ne[3];
	for (int64_t t = all * params->ith / params->nth; t < all * (params->ith + 1) / params->nth; t++) {
		const int64_t i2 = t / tiles % op->ne[2], i3 = t / tiles / op->ne[2], first = t % tiles * vector;
		float *to = const_cast<float *>(tensor_at<float>(op, 0, i2, i3)) + first;
		const float *from = tensor_at<float>(op->src[1], 0, i2, i3) + first;
		solve_columns(tensor_at<float>(op->src[0], 0, i2, i3), from, to, op->ne[1], columns, columns - first);
	}
}

inline operation solve_tri_for(const ggml_tensor *op) {
	const auto plain = [](const ggml_tensor *t) { return t->type == GGML_TYPE_F32 && ggml_is_contiguous(t); };
	return plain(op) && plain(op->src[0]) && plain(op->src[1]) ? solve_tri : nullptr;
}

} // namespace kernels::PROCTOR_LEVEL
