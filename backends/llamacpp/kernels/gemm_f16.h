// Products of a few rows with keys or values of 16 bits, read where they lie: converting a block of the cache to floats in
// memory first, as gemm wants it, takes longer than a few rows' products. The order of operations is gemm's.
#pragma once

#include "gemm.h"

namespace kernels::PROCTOR_LEVEL {

constexpr int64_t most_few = 2 * few_tile; // rows
constexpr int few_cells = 4;               // of values, for which something ahead is asked

// A block's cells of a head's keys or values.
struct half_cells {
	const char *first;
	size_t stride; // bytes
	int64_t count;

	const ggml_half *at(int64_t cell) const { return (const ggml_half *) (first + cell * stride); }
};

// Reads eight values of each of sixteen cells, cell and those after it: place i of value[j] is cell + i's value from + j.
inline void load_transposed(const half_cells &cells, int64_t cell, int64_t from, __m256i (&value)[8]) {
	__m256i r[8], t[8];
	for (int i = 0; i < 8; i++) { // cells i and 8 + i
		auto eight = [&](int64_t i) { return _mm_loadu_si128((const __m128i *) (cells.at(cell + i) + from)); };
		r[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(eight(i)), eight(8 + i), 1);
	}
	auto interleave = [](const __m256i(&a)[8], __m256i(&b)[8]) {
		for (int i = 0; i < 4; i++) {
			b[2 * i] = _mm256_unpacklo_epi16(a[i], a[4 + i]);
			b[2 * i + 1] = _mm256_unpackhi_epi16(a[i], a[4 + i]);
		}
	};
	interleave(r, t);
	interleave(t, r);
	interleave(r, value);
}

// Computes the scores of n rows of queries, size values each, for cells of keys, whole vectors of them. Calls each
// for every eight values of a vector of cells.
template <int n, class function>
void score_few(const float *query, int64_t size, const half_cells &keys, matrix<float> score, function each) {
	for (int64_t first = 0; first < keys.count; first += vector) {
		f32x16 sum[n];
		for (int r = 0; r < n; r++) {
			sum[r] = zeros();
		}
		for (int64_t i = 0; i < size; i += 8) {
			each();
			__m256i value[8];
			load_transposed(keys, first, i, value);
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

// Adds so many vectors of the values, each times its cell's weight, to the sums of n rows. Calls each for every few_cells.
template <int n, int vectors, class function>
void sum_few(matrix<const float> weight, const half_cells &values, int64_t from, matrix<float> to, function each) {
	f32x16 sum[n][vectors];
	for (int r = 0; r < n; r++) {
		for (int j = 0; j < vectors; j++) {
			sum[r][j] = load(to.row(r) + from + j * vector);
		}
	}
	for (int64_t c = 0; c < values.count; c++) {
		if (c % few_cells == 0) {
			each();
		}
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

	template <class function>
	static void score(const float *query, int64_t size, const half_cells &keys, matrix<float> to, function each) {
		score_few<n>(query, size, keys, to, each);
	}

	template <class function>
	static void sum(matrix<const float> weight, const half_cells &values, int64_t length, matrix<float> to, function each) {
		int64_t i = 0;
		for (; i + vectors * vector <= length; i += vectors * vector) {
			sum_few<n, vectors>(weight, values, i, to, each);
		}
		for (; i < length; i += vector) {
			sum_few<n, 1>(weight, values, i, to, each);
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
