// Products of matrices of floats, and what else attention is made of.
#pragma once

#include "level_contract.h"

namespace kernels::PROCTOR_LEVEL {

constexpr int gemm_columns = gemm_vectors * vector; // of b, multiplied together with gemm_rows of a

// Rows of floats that lie so many floats apart.
template <class value> struct matrix {
	value *first;
	int64_t apart;

	value *row(int64_t i) const { return first + i * apart; }
};

// Computes c = a × b, or adds it to c, for n rows of a and some vectors of columns of b and c; a is n × k.
template <int n, int vectors> void gemm_tile(matrix<const float> a, int64_t k, matrix<const float> b, matrix<float> c, bool add) {
	f32x16 sum[n][vectors];
#pragma GCC unroll 8
	for (int i = 0; i < n; i++) {
#pragma GCC unroll 8
		for (int j = 0; j < vectors; j++) {
			sum[i][j] = zeros();
			if (add) {
				sum[i][j] = load(c.row(i) + j * vector);
			}
		}
	}
	for (int64_t l = 0; l < k; l++) {
		f32x16 row[vectors];
#pragma GCC unroll 8
		for (int j = 0; j < vectors; j++) {
			row[j] = in_registers(load(b.row(l) + j * vector));
		}
#pragma GCC unroll 8
		for (int i = 0; i < n; i++) {
			const f32x16 value = broadcast(a.row(i)[l]);
#pragma GCC unroll 8
			for (int j = 0; j < vectors; j++) {
				sum[i][j] = fmadd(value, row[j], sum[i][j]);
			}
		}
	}
#pragma GCC unroll 8
	for (int i = 0; i < n; i++) {
#pragma GCC unroll 8
		for (int j = 0; j < vectors; j++) {
			store(c.row(i) + j * vector, sum[i][j]);
		}
	}
}

// Chooses gemm_tile for so many rows of a, most of them at most.
template <int most, int vectors>
void gemm_tiles(int64_t rows, matrix<const float> a, int64_t k, matrix<const float> b, matrix<float> c, bool add) {
	if (rows >= most) {
		gemm_tile<most, vectors>(a, k, b, c, add);
	} else if constexpr (most > 1) {
		gemm_tiles<most - 1, vectors>(rows, a, k, b, c, add);
	}
}

// How many tiles gemm computes.
inline int64_t gemm_tiles_of(int64_t rows, int64_t columns) {
	return (rows + gemm_rows - 1) / gemm_rows * ((columns + gemm_columns - 1) / gemm_columns);
}

// Computes c = a × b, or adds it to c: a is rows × k, b is k × columns, whole vectors of them. Some vectors are multiplied
// together, fewer at the end. Calls each before every tile.
template <int vectors = gemm_vectors, class function>
void gemm(matrix<const float> a, int64_t rows, int64_t k, matrix<const float> b, int64_t columns, matrix<float> c, bool add,
	function each) {
	int64_t j = 0;
	for (; j + vectors * vector <= columns; j += vectors * vector) {
		for (int64_t i = 0; i < rows; i += gemm_rows) {
			each();
			gemm_tiles<gemm_rows, vectors>(
				rows - i, {a.row(i), a.apart}, k, {b.first + j, b.apart}, {c.row(i) + j, c.apart}, add);
		}
	}
	if constexpr (vectors > 1) {
		if (j < columns) {
			gemm<vectors - 1>(a, rows, k, {b.first + j, b.apart}, columns - j, {c.first + j, c.apart}, add, each);
		}
	}
}

// For e^x = 2^n · e^b: n is x / ln 2, rounded, and b what is left of x. Adding and subtracting 1.5 × 2^23 rounds to an integer.
// ln 2 comes in two parts: n times the first one is exact.
inline f32x16 powers_of_2_in(f32x16 x) {
	constexpr float log2_e = 0x1.715476p+0f;
	const f32x16 to_integer = broadcast(0x1.8p23f);
	return sub(fmadd(x, broadcast(log2_e), to_integer), to_integer);
}
inline f32x16 without_powers_of_2(f32x16 x, f32x16 n) {
	constexpr float ln_2_first = 0x1.62e4p-1f, ln_2_rest = 0x1.7f7d1cp-20f;
	return fnmadd(n, broadcast(ln_2_rest), fnmadd(n, broadcast(ln_2_first), x));
}

// Computes e to the power of values between -100 and 88, with ggml's polynomial (ggml_v_expf), which is off by less than two
// units in the last place.
inline f32x16 exp(f32x16 x) {
	const f32x16 n = powers_of_2_in(x), b = without_powers_of_2(x, n);
	const f32x16 b2 = mul(b, b);
	const f32x16 fifth = fmadd(broadcast(0x1.0e4020p-7f), b, broadcast(0x1.573e2ep-5f));
	const f32x16 third = fmadd(broadcast(0x1.555e66p-3f), b, broadcast(0x1.fffdb6p-2f));
	const f32x16 first = fmadd(broadcast(0x1.ffffecp-1f), b, broadcast(1));
	return scale_by_power_of_2(fmadd(fmadd(fifth, b2, third), b2, first), n);
}

constexpr float tanh_small = 0.625f;  // up to here tanh is its polynomial
constexpr float tanh_twice_most = 20; // from twice this value on it is 1

// Computes the hyperbolic tangents of values up to tanh_small: x and a polynomial of x^3, …, x^11.
inline f32x16 tanh_of_small(f32x16 x) {
	const f32x16 x2 = mul(x, x);
	f32x16 p = broadcast(-0x1.8f8de4p-8f);
	constexpr float next_power[] = {0x1.58048ep-6f, -0x1.b9258ap-5f, 0x1.110e1cp-3f, -0x1.555552p-2f};
	for (float next : next_power) {
		p = fmadd(p, x2, broadcast(next));
	}
	return fmadd(mul(x, x2), p, x);
}

// Computes the hyperbolic tangents of finite values, off by less than two units in the last place: a polynomial where they are
// small, as 1 - 2 / (e^2x + 1) loses the last places of those.
inline f32x16 tanh(f32x16 x) {
	const f32x16 size = abs(x), one = broadcast(1), twice = min(add(size, size), broadcast(tanh_twice_most));
	const f32x16 large = sub(one, div(broadcast(2), add(exp(twice), one)));
	return select(above(size, broadcast(tanh_small)), with_sign_of(large, x), tanh_of_small(x));
}

} // namespace kernels::PROCTOR_LEVEL
