// Products of floats of which neither is packed: of activations with each other, as gated delta nets have them.
#pragma once

#include "elements.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// A GGML_OP_MUL_MAT of floats. Places of a row are added up in one vector, and then its places.
struct mul_mat_f32_op {
	const ggml_tensor *a, *b;
	ggml_tensor *op;
	int64_t i2, i3; // the matrix of b and of the product

	const float *row(int64_t i) const { return tensor_at<float>(a, i, i2 / (b->ne[2] / a->ne[2]), i3 / (b->ne[3] / a->ne[3])); }
	const float *column(int64_t i) const { return tensor_at<float>(b, i, i2, i3); }

	// Computes the products of four rows with m columns.
	template <int m> void tile(const float *const (&rows)[4], int64_t first_row, int64_t first_column) const {
		f32x16 sum[m][4];
		const float *columns[m];
		for (int j = 0; j < m; j++) {
			columns[j] = column(first_column + j);
			for (f32x16 &one : sum[j]) {
				one = zeros();
			}
		}
		const int64_t size = a->ne[0];
		for (int64_t k = 0; k < size; k += vector) {
			f32x16 values[4];
			for (int i = 0; i < 4; i++) {
				values[i] = load_first(rows[i] + k, size - k);
			}
			for (int j = 0; j < m; j++) {
				const f32x16 others = load_first(columns[j] + k, size - k);
				for (int i = 0; i < 4; i++) {
					sum[j][i] = fmadd(values[i], others, sum[j][i]);
				}
			}
		}
		for (int j = 0; j < m; j++) {
			float products[4];
			reduce_add_four(sum[j], products);
			float *to = const_cast<float *>(tensor_at<float>(op, first_column + j, i2, i3)) + first_row;
			std::copy_n(products, std::min<int64_t>(4, op->ne[0] - first_row), to);
		}
	}

	// Computes the products of four rows with all columns; beyond the last row, its own again.
	void multiply(int64_t first_row) const {
		const float *rows[4];
		for (int i = 0; i < 4; i++) {
			rows[i] = row(std::min(first_row + i, op->ne[0] - 1));
		}
		int64_t j = 0;
		for (; j + gemm_vectors <= b->ne[1]; j += gemm_vectors) {
			tile<gemm_vectors>(rows, first_row, j);
		}
		for (; j < b->ne[1]; j++) {
			tile<1>(rows, first_row, j);
		}
	}
};

// Computes a GGML_OP_MUL_MAT that mul_mat_f32_for takes. All threads call it, each for some rows.
void mul_mat_f32(const ggml_compute_params *params, ggml_tensor *op) {
	const int64_t tiles = (op->ne[0] + 3) / 4, all = tiles * op->ne[2] * op->ne[3];
	for (int64_t t = all * params->ith / params->nth; t < all * (params->ith + 1) / params->nth; t++) {
		mul_mat_f32_op{op->src[0], op->src[1], op, t / tiles % op->ne[2], t / tiles / op->ne[2]}.multiply(t % tiles * 4);
	}
}

inline operation mul_mat_f32_for(const ggml_tensor *op) {
	return has_rows_of_floats(op) && has_rows_of_floats(op->src[0]) && has_rows_of_floats(op->src[1]) ? mul_mat_f32 : nullptr;
}

} // namespace kernels::PROCTOR_LEVEL
