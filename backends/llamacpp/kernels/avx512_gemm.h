// Products of matrices of floats, and what else attention is made of.
#pragma once

#include <cmath>
#include <cstdint>

#include "avx512_target.h"

namespace kernels::avx512 {

constexpr int vector = 16;             // floats
constexpr int gemm_rows = 4;           // of a, multiplied together
constexpr int gemm_vectors = 4;        // of b's columns, multiplied together
constexpr int gemm_columns = gemm_vectors * vector;

// Computes c = a × b, or adds it to c, for n rows of a and gemm_columns columns of b and c, whose rows are columns long; a is
// n × k.
template <int n> void gemm_tile(const float *a, int64_t k, const float *b, int64_t columns, float *c, bool add) {
	__m512 sum[n][gemm_vectors];
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < gemm_vectors; j++) {
			sum[i][j] = add ? _mm512_loadu_ps(c + i * columns + j * vector) : _mm512_setzero_ps();
		}
	}
	for (int64_t l = 0; l < k; l++) {
		__m512 row[gemm_vectors];
		for (int j = 0; j < gemm_vectors; j++) {
			row[j] = _mm512_loadu_ps(b + l * columns + j * vector);
		}
		for (int i = 0; i < n; i++) {
			const __m512 value = _mm512_set1_ps(a[i * k + l]);
			for (int j = 0; j < gemm_vectors; j++) {
				sum[i][j] = _mm512_fmadd_ps(value, row[j], sum[i][j]);
			}
		}
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < gemm_vectors; j++) {
			_mm512_storeu_ps(c + i * columns + j * vector, sum[i][j]);
		}
	}
}

// Computes c = a × b, or adds it to c: a is rows × k, b is k × columns, a multiple of gemm_columns.
inline void gemm(const float *a, int64_t rows, int64_t k, const float *b, int64_t columns, float *c, bool add) {
	for (int64_t j = 0; j < columns; j += gemm_columns) {
		for (int64_t i = 0; i < rows; i += gemm_rows) {
			const float *from = a + i * k;
			float *to = c + i * columns + j;
			switch (rows - i) {
			case 1: gemm_tile<1>(from, k, b + j, columns, to, add); break;
			case 2: gemm_tile<2>(from, k, b + j, columns, to, add); break;
			case 3: gemm_tile<3>(from, k, b + j, columns, to, add); break;
			default: gemm_tile<gemm_rows>(from, k, b + j, columns, to, add);
			}
		}
	}
}

// Transposes 16 × 16 floats: to[j][i] = from[i][j], rows lying so many floats apart.
inline void transpose(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
	__m512 r[16], t[16];
	for (int i = 0; i < 16; i++) {
		r[i] = _mm512_loadu_ps(from + i * from_stride);
	}
	for (int i = 0; i < 16; i += 2) {
		t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
	}
	for (int i = 0; i < 16; i += 4) {
		for (int j = 0; j < 2; j++) {
			__m512d a = _mm512_castps_pd(t[i + j]), b = _mm512_castps_pd(t[i + 2 + j]);
			r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
			r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
		}
	}
	for (int i = 0; i < 4; i++) { // r[i], r[4 + i], …: places i, 4 + i, 8 + i, 12 + i of rows 0…3, 4…7, …
		__m512 a = _mm512_shuffle_f32x4(r[i], r[4 + i], 0x88), b = _mm512_shuffle_f32x4(r[i], r[4 + i], 0xdd);
		__m512 c = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0x88), d = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0xdd);
		_mm512_storeu_ps(to + i * to_stride, _mm512_shuffle_f32x4(a, c, 0x88));
		_mm512_storeu_ps(to + (4 + i) * to_stride, _mm512_shuffle_f32x4(b, d, 0x88));
		_mm512_storeu_ps(to + (8 + i) * to_stride, _mm512_shuffle_f32x4(a, c, 0xdd));
		_mm512_storeu_ps(to + (12 + i) * to_stride, _mm512_shuffle_f32x4(b, d, 0xdd));
	}
}

inline __m512 broadcast(float value) { return _mm512_set1_ps(value); }

// Computes e to the power of values between -100 and 88, with ggml's polynomial (ggml_v_expf), which is off by less than two
// units in the last place.
inline __m512 exp(__m512 x) {
	const __m512 round = broadcast(0x1.8p23f);
	const __m512 n = _mm512_sub_ps(_mm512_fmadd_ps(x, broadcast(0x1.715476p+0f), round), round);
	const __m512 b = _mm512_fnmadd_ps(n, broadcast(0x1.7f7d1cp-20f), _mm512_fnmadd_ps(n, broadcast(0x1.62e4p-1f), x));
	const __m512 b2 = _mm512_mul_ps(b, b);
	const __m512 fifth = _mm512_fmadd_ps(broadcast(0x1.0e4020p-7f), b, broadcast(0x1.573e2ep-5f));
	const __m512 third = _mm512_fmadd_ps(broadcast(0x1.555e66p-3f), b, broadcast(0x1.fffdb6p-2f));
	const __m512 first = _mm512_fmadd_ps(broadcast(0x1.ffffecp-1f), b, broadcast(1));
	return _mm512_scalef_ps(_mm512_fmadd_ps(_mm512_fmadd_ps(fifth, b2, third), b2, first), n);
}

} // namespace kernels::avx512
