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

} // namespace kernels::PROCTOR_LEVEL
