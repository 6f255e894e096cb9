// Products of matrices of floats, and what else attention is made of.
#pragma once

namespace kernels::PROCTOR_LEVEL {

constexpr int vector = 16; // floats
constexpr int gemm_columns = gemm_vectors * vector; // of b, multiplied together with gemm_rows of a

// Rows of floats that lie so many floats apart.
template <class value> struct matrix {
	value *first;
	int64_t apart;

	value *row(int64_t i) const { return first + i * apart; }
};

// Computes c = a × b, or adds it to c, for n rows of a and gemm_columns columns of b and c; a is n × k.
template <int n> void gemm_tile(matrix<const float> a, int64_t k, matrix<const float> b, matrix<float> c, bool add) {
	f32x16 sum[n][gemm_vectors];
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < gemm_vectors; j++) {
			sum[i][j] = add ? load(c.row(i) + j * vector) : zeros();
		}
	}
	for (int64_t l = 0; l < k; l++) {
		f32x16 row[gemm_vectors];
		for (int j = 0; j < gemm_vectors; j++) {
			row[j] = load(b.row(l) + j * vector);
		}
		for (int i = 0; i < n; i++) {
			const f32x16 value = broadcast(a.row(i)[l]);
			for (int j = 0; j < gemm_vectors; j++) {
				sum[i][j] = fmadd(value, row[j], sum[i][j]);
			}
		}
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < gemm_vectors; j++) {
			store(c.row(i) + j * vector, sum[i][j]);
		}
	}
}

// Chooses gemm_tile for so many rows of a, most of them at most.
template <int most> void gemm_tiles(int64_t rows, matrix<const float> a, int64_t k, matrix<const float> b, matrix<float> c, bool add) {
	if (rows >= most) {
		gemm_tile<most>(a, k, b, c, add);
	} else if constexpr (most > 1) {
		gemm_tiles<most - 1>(rows, a, k, b, c, add);
	}
}

// How many tiles gemm computes.
inline int64_t gemm_tiles_of(int64_t rows, int64_t columns) { return (rows + gemm_rows - 1) / gemm_rows * (columns / gemm_columns); }

// Computes c = a × b, or adds it to c: a is rows × k, b is k × columns, a multiple of gemm_columns. Calls each before every tile.
template <class function>
void gemm(
	matrix<const float> a, int64_t rows, int64_t k, matrix<const float> b, int64_t columns, matrix<float> c, bool add, function each) {
	for (int64_t j = 0; j < columns; j += gemm_columns) {
		for (int64_t i = 0; i < rows; i += gemm_rows) {
			each();
			gemm_tiles<gemm_rows>(rows - i, {a.row(i), a.apart}, k, {b.first + j, b.apart}, {c.row(i) + j, c.apart}, add);
		}
	}
}

// Computes e to the power of values between -100 and 88, with ggml's polynomial (ggml_v_expf), which is off by less than two
// units in the last place.
inline f32x16 exp(f32x16 x) {
	const f32x16 round = broadcast(0x1.8p23f);
	const f32x16 n = sub(fmadd(x, broadcast(0x1.715476p+0f), round), round);
	const f32x16 b = fnmadd(n, broadcast(0x1.7f7d1cp-20f), fnmadd(n, broadcast(0x1.62e4p-1f), x));
	const f32x16 b2 = mul(b, b);
	const f32x16 fifth = fmadd(broadcast(0x1.0e4020p-7f), b, broadcast(0x1.573e2ep-5f));
	const f32x16 third = fmadd(broadcast(0x1.555e66p-3f), b, broadcast(0x1.fffdb6p-2f));
	const f32x16 first = fmadd(broadcast(0x1.ffffecp-1f), b, broadcast(1));
	return scale_by_power_of_2(fmadd(fmadd(fifth, b2, third), b2, first), n);
}

// Computes the hyperbolic tangents of finite values, off by less than two units in the last place: a polynomial where they are
// small, which would be lost in the difference elsewhere.
inline f32x16 tanh(f32x16 x) {
	const f32x16 size = abs(x), x2 = mul(x, x), one = broadcast(1);
	f32x16 p = broadcast(-0x1.8f8de4p-8f);
	constexpr float next_power[] = {0x1.58048ep-6f, -0x1.b9258ap-5f, 0x1.110e1cp-3f, -0x1.555552p-2f};
	for (float next : next_power) {
		p = fmadd(p, x2, broadcast(next));
	}
	const f32x16 small = fmadd(mul(x, x2), p, x);
	const f32x16 twice = min(add(size, size), broadcast(20)); // beyond that it is 1
	const f32x16 large = sub(one, div(broadcast(2), add(exp(twice), one)));
	return select(above(size, broadcast(0.625f)), with_sign_of(large, x), small);
}

} // namespace kernels::PROCTOR_LEVEL
