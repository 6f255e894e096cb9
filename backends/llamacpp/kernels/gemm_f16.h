// Products of a few rows with keys or values of 16 bits, read where they lie: converting a block of the cache to floats in
// memory first, as gemm wants it, takes longer than a few rows' products. The order of operations is gemm's.
#pragma once

#include "gemm.h"

namespace kernels::PROCTOR_LEVEL {

constexpr int64_t most_few = 2 * few_tile; // rows

// A block's cells of a head's keys or values.
struct half_cells {
	const char *first;
	size_t stride; // bytes
	int64_t count;

	const ggml_half *at(int64_t cell) const { return (const ggml_half *) (first + cell * stride); }

	// A vector of them, the last one in place of those beyond it.
	std::array<const ggml_half *, vector> vector_at(int64_t cell) const {
		std::array<const ggml_half *, vector> all;
		for (int i = 0; i < vector; i++) {
			all[i] = at(std::min(cell + i, count - 1));
		}
		return all;
	}
};

// Reads eight values of each of sixteen cells: place i of value[j] is cell i's value from + j.
inline void load_transposed(const std::array<const ggml_half *, vector> &cells, int64_t from, __m256i (&value)[8]) {
	__m256i r[8], t[8];
	for (int i = 0; i < 8; i++) { // cells i and 8 + i
		auto eight = [&](int cell) { return _mm_loadu_si128((const __m128i *) (cells[cell] + from)); };
		r[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(eight(i)), eight(8 + i), 1);
	}
	auto interleave = [](const __m256i (&a)[8], __m256i (&b)[8]) {
		for (int i = 0; i < 4; i++) {
			b[2 * i] = _mm256_unpacklo_epi16(a[i], a[4 + i]);
			b[2 * i + 1] = _mm256_unpackhi_epi16(a[i], a[4 + i]);
		}
	};
	interleave(r, t);
	interleave(t, r);
	interleave(r, value);
}

// Computes the scores of n rows of queries, size values each, for as many vectors of cells as the keys take.
template <int n> void score_few(const float *query, int64_t size, const half_cells &keys, matrix<float> score) {
	for (int64_t first = 0; first < keys.count; first += vector) {
		const auto cell = keys.vector_at(first);
		f32x16 sum[n];
		for (int r = 0; r < n; r++) {
			sum[r] = zeros();
		}
		for (int64_t i = 0; i < size; i += 8) {
			__m256i value[8];
			load_transposed(cell, i, value);
			for (int j = 0; j < 8; j++) {
				const f32x16 key = f16_to_f32(value[j]);
				for (int r = 0; r < n; r++) {
					sum[r] = fmadd(broadcast(query[r * size + i + j]), key, sum[r]);
				}
			}
		}
		for (int r = 0; r < n; r++) {
			store(score.row(r) + first, sum[r]);
		}
	}
}

// Adds so many vectors of the values, each times its cell's weight, to the sums of n rows.
template <int n, int vectors>
void sum_few(matrix<const float> weight, const half_cells &values, int64_t from, matrix<float> to) {
	f32x16 sum[n][vectors];
	for (int r = 0; r < n; r++) {
		for (int j = 0; j < vectors; j++) {
			sum[r][j] = load(to.row(r) + from + j * vector);
		}
	}
	for (int64_t c = 0; c < values.count; c++) {
		const ggml_half *cell = values.at(c) + from;
		for (int j = 0; j < vectors; j++) {
			const f32x16 value = load_f16(cell + j * vector);
			for (int r = 0; r < n; r++) {
				sum[r][j] = fmadd(broadcast(weight.row(r)[c]), value, sum[r][j]);
			}
		}
	}
	for (int r = 0; r < n; r++) {
		for (int j = 0; j < vectors; j++) {
			store(to.row(r) + from + j * vector, sum[r][j]);
		}
	}
}

// Does for n rows, one or more, what it says for few of them.
template <int n> struct few_rows {
	static constexpr int vectors = std::max(1, few_sums / n); // sums have to wait for each other, so a row has several

	static void score(const float *query, int64_t size, const half_cells &keys, matrix<float> to) { score_few<n>(query, size, keys, to); }

	static void sum(matrix<const float> weight, const half_cells &values, int64_t length, matrix<float> to) {
		int64_t i = 0;
		for (; i + vectors * vector <= length; i += vectors * vector) {
			sum_few<n, vectors>(weight, values, i, to);
		}
		for (; i < length; i += vector) {
			sum_few<n, 1>(weight, values, i, to);
		}
	}
};

// Calls use with few_rows<1>, … for rows, few_tile at a time, and where they begin.
template <int n = few_tile, class function> void each_few_rows(int64_t rows, function use, int64_t from = 0) {
	if constexpr (n == few_tile) {
		for (; rows >= n; rows -= n, from += n) {
			use(few_rows<n>(), from);
		}
	} else if (rows == n) {
		use(few_rows<n>(), from);
		return;
	}
	if constexpr (n > 1) {
		if (rows > 0) {
			each_few_rows<n - 1>(rows, use, from);
		}
	}
}

} // namespace kernels::PROCTOR_LEVEL
