// A vector's places put together, always in the same order.
#pragma once

namespace kernels::PROCTOR_LEVEL {

inline float reduce_add(f32x16 v) {
	const __m256 eight = _mm256_add_ps(low_half(v), high_half(v));
	const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
	const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

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
