// Pairs of bf16 on CPUs that have instructions for them, of 512 bits.
#pragma once

#include PROCTOR_VECTORS

namespace kernels::PROCTOR_LEVEL {

// Rounds floats to bf16, to the nearest, of two as near to the even one, and makes a pair of each two: the place of a float has the
// first one in its lower half.
inline f32x16 bf16_pairs(f32x16 first, f32x16 second) {
	alignas(64) static constexpr uint16_t order[] = {
		0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
	return _mm512_castsi512_ps(_mm512_permutexvar_epi16(_mm512_load_si512(order), (__m512i) _mm512_cvtne2ps_pbh(second, first)));
}

// Adds the products of second ones to a sum, and then those of first ones, each rounded as fmadd does.
inline f32x16 add_bf16_products(f32x16 a, f32x16 b, f32x16 sum) {
	return _mm512_dpbf16_ps(sum, (__m512bh) _mm512_castps_si512(a), (__m512bh) _mm512_castps_si512(b));
}

inline f32x16 floor(f32x16 v) { return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
inline f32x16 fmsub(f32x16 a, f32x16 b, f32x16 c) { return _mm512_fmsub_ps(a, b, c); } // a × b - c, rounded once

} // namespace kernels::PROCTOR_LEVEL
