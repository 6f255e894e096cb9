// Functions of sixteen floats of any size, which operations are made of. What is no number stays none.
#pragma once

#include "gemm.h"

namespace kernels::PROCTOR_LEVEL {

// Computes e to the power of any values: 0 below exp_least and infinite from exp_most on, where no power is a normal float. With
// x = n · ln 2 + b it is 2^n + 2^n · (e^b - 1), and only that sum is rounded to the places of the power.
inline f32x16 exp_any(f32x16 x) {
	constexpr float exp_least = -87, exp_most = 88.37f;
	const f32x16 n = powers_of_2_in(x), b = without_powers_of_2(x, n);
	f32x16 p = broadcast(1.0f / 5040);
	constexpr float next_power[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 1.0f / 2};
	for (float next : next_power) {
		p = fmadd(p, b, broadcast(next));
	}
	const f32x16 scale = scale_by_power_of_2(broadcast(1), n);
	const f32x16 power = fmadd(fmadd(mul(b, b), p, b), scale, scale);
	return select(above(broadcast(exp_most), x), select(above(x, broadcast(exp_least)), power, zeros()), broadcast(INFINITY));
}

// Computes e to the power of -factor · x.
inline f32x16 exp_of_negative(f32x16 x, f32x16 factor) { return exp_any(mul(sub(zeros(), x), factor)); }

inline f32x16 sigmoid(f32x16 x) { return div(broadcast(1), add(broadcast(1), exp_of_negative(x, broadcast(1)))); }

// Computes x · sigmoid(factor · x).
inline f32x16 silu(f32x16 x, f32x16 factor) { return div(x, add(broadcast(1), exp_of_negative(x, factor))); }

// Computes log(1 + y) of values from 0 to 1: twice the series of artanh(y / (2 + y)).
inline f32x16 log1p_of_fraction(f32x16 y) {
	const f32x16 s = div(y, add(broadcast(2), y)), s2 = mul(s, s);
	f32x16 p = broadcast(2.0f / 17);
	constexpr float next_power[] = {2.0f / 15, 2.0f / 13, 2.0f / 11, 2.0f / 9, 2.0f / 7, 2.0f / 5, 2.0f / 3};
	for (float next : next_power) {
		p = fmadd(p, s2, broadcast(next));
	}
	return fmadd(mul(s, s2), p, add(s, s));
}

// Computes log(1 + e^x), as ggml's scans do.
inline f32x16 softplus(f32x16 x) { return add(max(zeros(), x), log1p_of_fraction(exp_of_negative(abs(x), broadcast(1)))); }

// Computes the hyperbolic tangents of any values. Where they are not small they are 1 - q, q = 2 / (e^(2 |x|) + 1), and what the
// sum, the quotient and the difference lose by rounding is put back.
inline f32x16 tanh_any(f32x16 x) {
	const f32x16 one = broadcast(1), two = broadcast(2), size = abs(x);
	const f32x16 power = exp_any(min(broadcast(tanh_twice_most), add(size, size))), sum = add(power, one), q = div(two, sum);
	const f32x16 lost = fnmadd(q, sub(power, sub(sum, one)), fnmadd(q, sum, two));
	const f32x16 rest = sub(one, q), large = add(rest, fnmadd(lost, mul(q, broadcast(0.5f)), sub(sub(one, rest), q)));
	return select(above(size, broadcast(tanh_small)), with_sign_of(large, x), tanh_of_small(x));
}

} // namespace kernels::PROCTOR_LEVEL
