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

// Puts the sixteen integers of each of four vectors together.
template <class function> __m128i reduce_four(const u8x64 (&v)[4], function together) {
	__m256i eight[4];
	for (int i = 0; i < 4; i++) {
		eight[i] = together(low_half(v[i]), high_half(v[i]));
	}
	auto pairs = [&](__m256i a, __m256i b) { return together(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)); };
	const __m256i first = pairs(eight[0], eight[1]), second = pairs(eight[2], eight[3]);
	const __m256i both = together(_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second));
	const __m256i one = together(both, _mm256_permute2x128_si256(both, both, 1));
	return _mm256_castsi256_si128(one);
}

} // namespace kernels::PROCTOR_LEVEL
