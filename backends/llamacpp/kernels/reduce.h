// A vector's places put together, always in the same order.
#pragma once

#include "level_contract.h"

namespace kernels::PROCTOR_LEVEL {

inline float reduce_add(f32x16 v) {
	const __m256 eight = _mm256_add_ps(low_half(v), high_half(v));
	const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
	const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// Adds up the places of four vectors, as reduce_add does of one.
inline void reduce_add_four(const f32x16 (&v)[4], float *to) {
	__m128 four[4];
	for (int i = 0; i < 4; i++) {
		const __m256 eight = _mm256_add_ps(low_half(v[i]), high_half(v[i]));
		four[i] = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
	}
	const __m128 first = _mm_add_ps(_mm_unpacklo_ps(four[0], four[1]), _mm_unpackhi_ps(four[0], four[1]));
	const __m128 second = _mm_add_ps(_mm_unpacklo_ps(four[2], four[3]), _mm_unpackhi_ps(four[2], four[3]));
	_mm_storeu_ps(to, _mm_add_ps(_mm_movelh_ps(first, second), _mm_movehl_ps(second, first)));
}

// Calls one for each vector of a row, with its place and which of four sums it is for: these do not wait for each other.
template <class function> [[gnu::always_inline]] inline void each_of_four(int64_t size, function one) {
	for (int64_t i = 0; i < size; i += 4 * vector) {
#pragma GCC unroll 4
		for (int j = 0; j < 4; j++) {
			if (i + j * vector < size) {
				one(i + j * vector, j);
			}
		}
	}
}

// Four vectors of sums.
struct four_sums {
	f32x16 sum[4];

	four_sums() { // one that the compiler makes is not compiled for the level
		for (f32x16 &one : sum) {
			one = zeros();
		}
	}
	float total() const { return reduce_add(add(add(sum[0], sum[1]), add(sum[2], sum[3]))); }
};

inline float reduce_max(f32x16 v) {
	const __m256 eight = _mm256_max_ps(low_half(v), high_half(v));
	const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
	const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

// What puts two vectors of integers together. A lambda that returns a vector is not compiled for the level.
struct largest_s32 {
	static __m256i of(__m256i a, __m256i b) { return _mm256_max_epi32(a, b); }
};
struct sum_s32 {
	static __m256i of(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
};

// Puts the sixteen integers of each of four vectors together.
template <class two> __m128i reduce_four(const u8x64 (&v)[4]) {
	__m256i eight[4];
	for (int i = 0; i < 4; i++) {
		eight[i] = two::of(low_half(v[i]), high_half(v[i]));
	}
	const __m256i first = two::of(_mm256_unpacklo_epi32(eight[0], eight[1]), _mm256_unpackhi_epi32(eight[0], eight[1]));
	const __m256i second = two::of(_mm256_unpacklo_epi32(eight[2], eight[3]), _mm256_unpackhi_epi32(eight[2], eight[3]));
	const __m256i both = two::of(_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second));
	return _mm256_castsi256_si128(two::of(both, _mm256_permute2x128_si256(both, both, 1)));
}

} // namespace kernels::PROCTOR_LEVEL
