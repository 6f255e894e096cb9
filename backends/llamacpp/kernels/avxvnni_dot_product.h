// Products of bytes on CPUs that have an instruction for their sums, of 256 bits.
#pragma once

#include PROCTOR_VECTORS

namespace kernels::PROCTOR_LEVEL {

constexpr bool signed_bytes = false;

template <class format> struct dot_product {
	__m256i low, high;

	void begin(int32_t start) { low = high = _mm256_set1_epi32(start); }

	void add(int, u8x64 weights, int32_t activations) {
		const __m256i a = _mm256_set1_epi32(activations);
		low = _mm256_dpbusd_avx_epi32(low, weights.low, a);
		high = _mm256_dpbusd_avx_epi32(high, weights.high, a);
	}

	f32x16 floats(int32_t) const { return {_mm256_castsi256_ps(low), _mm256_castsi256_ps(high)}; }
};

} // namespace kernels::PROCTOR_LEVEL
