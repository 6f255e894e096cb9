// Products of floats that are not packed: of activations with each other, as gated delta nets have them, and of weights whose
// rows are no multiple of 32 wide.
#pragma once

#include "elements.h"
#include "mul_mat_columns.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// What a row's values are, of which the first count are read as floats.
struct unpacked_f32 {
	static f32x16 first(const float *from, int64_t count) { return load_first(from, count); }
};
struct unpacked_f16 {
	static f32x16 first(const ggml_half *from, int64_t count) { return load_first_f16(from, count); }
};
struct unpacked_bf16 {
	static f32x16 first(const uint16_t *from, int64_t count) {
		uint16_t values[vector] = {};
		memcpy(values, from, std::min<int64_t>(vector, count) * sizeof *values);
		return load_bf16(count >= vector ? from : values);
	}
};

// Some columns of a GGML_OP_MUL_MAT or a GGML_OP_MUL_MAT_ID. Places of a row are added up in one vector, and then its places.
template <class kind, class value> struct mul_mat_floats_op {
	const ggml_tensor *a, *b;
	ggml_tensor *op;
	int64_t a2, a3;     // the matrix of a
	int64_t i2, i3;     // of b and of the product
	int64_t first, end; // columns of the product
	int64_t from;       // the first one's of b

	const value *row(int64_t i) const { return tensor_at<value>(a, i, a2, a3); }
	const float *column(int64_t i) const { return tensor_at<float>(b, from + i - first, i2, i3); }

	// Computes the products of four rows with m columns.
	template <int m> void tile(const value *const (&rows)[4], int64_t first_row, int64_t first_column) const {
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
				values[i] = kind::first(rows[i] + k, size - k);
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

	// Computes the products of four rows with the columns; beyond the last row, its own again.
	void multiply(int64_t first_row) const {
		const value *rows[4];
		for (int i = 0; i < 4; i++) {
			rows[i] = row(std::min(first_row + i, op->ne[0] - 1));
		}
		int64_t j = first;
		for (; j + gemm_vectors <= end; j += gemm_vectors) {
			tile<gemm_vectors>(rows, first_row, j);
		}
		for (; j < end; j++) {
			tile<1>(rows, first_row, j);
		}
	}
};

// Computes an operation that mul_mat_floats_for takes. All threads call it, each for some rows: of a matrix with all of its
// columns, of an expert with one.
template <class kind, class value> void mul_mat_floats(const compute_params *params, ggml_tensor *op) {
	const ggml_tensor *a = op->src[0], *b = op->src[1], *ids = op->op == GGML_OP_MUL_MAT_ID ? op->src[2] : nullptr;
	const int64_t tiles = (op->ne[0] + 3) / 4, parts = ids == nullptr ? 1 : op->ne[1],
				  all = tiles * parts * op->ne[2] * op->ne[3];
	for (int64_t t = all * params->ith / params->nth; t < all * (params->ith + 1) / params->nth; t++) {
		const int64_t i1 = t / tiles % parts, i2 = t / tiles / parts % op->ne[2], i3 = t / tiles / parts / op->ne[2];
		const int64_t a2 = ids == nullptr ? i2 / (b->ne[2] / a->ne[2]) : expert_of(ids, i1, i2, a->ne[2]);
		const int64_t a3 = i3 / (b->ne[3] / a->ne[3]), end = ids == nullptr ? op->ne[1] : i1 + 1;
		mul_mat_floats_op<kind, value>{a, b, op, a2, a3, i2, i3, i1, end, i1 % b->ne[1]}.multiply(t % tiles * 4);
	}
}

inline operation mul_mat_floats_for(const ggml_tensor *op) {
	const ggml_tensor *a = op->src[0];
	if (a->nb[0] != ggml_type_size(a->type) || !has_rows_of_floats(op) || !has_rows_of_floats(op->src[1])) {
		return nullptr;
	}
	switch (a->type) {
	case GGML_TYPE_F32: return mul_mat_floats<unpacked_f32, float>;
	case GGML_TYPE_F16: return mul_mat_floats<unpacked_f16, ggml_half>;
	case GGML_TYPE_BF16: return mul_mat_floats<unpacked_bf16, uint16_t>;
	default: return nullptr;
	}
}

} // namespace kernels::PROCTOR_LEVEL
