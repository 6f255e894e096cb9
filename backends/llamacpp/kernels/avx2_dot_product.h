// Products of bytes on CPUs that have no instruction for their sums: pairs of products, which saturate, are sums of 16 bits.
#pragma once

#include PROCTOR_VECTORS

namespace kernels::PROCTOR_LEVEL {

constexpr bool signed_bytes = true;

// Returns the largest divisor of n up to most.
constexpr int divisor(int n, int most) { return n % most == 0 ? most : divisor(n, most - 1); }

template <class format> struct dot_product {
	static constexpr int largest = format::most > INT8_MAX ? -INT8_MIN : format::most; // of the weights, without their signs
	static constexpr int steps = format::group / dot_values;
	// Steps whose pairs of products are summed in 16 bits, and stay in them.
	static constexpr int together = divisor(steps, std::min(steps, INT16_MAX / (2 * most_activation * largest)));

	__m256i low, high;           // sums of 32 bits, of whole parts
	__m256i low_part, high_part; // of 16 bits

	void begin(int32_t) {}

	void add(int step, u8x64 weights, int32_t activations) {
		const __m256i a = _mm256_set1_epi32(activations);
		add(step, weights.low, a, low_part, low);
		add(step, weights.high, a, high_part, high);
	}

	f32x16 floats(int32_t start) const { return {floats(low, start), floats(high, start)}; }

  private:
	static void add(int step, __m256i weights, __m256i activations, __m256i &part, __m256i &sum) {
		const __m256i pairs = format::most > INT8_MAX
			? _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(activations, weights))
			: _mm256_maddubs_epi16(weights, activations);
		part = step % together == 0 ? pairs : _mm256_add_epi16(part, pairs);
		__asm__("" : "+x"(part)); // or gcc puts the additions off to the end, and runs out of registers
		if ((step + 1) % together == 0) {
			const __m256i four = _mm256_madd_epi16(part, _mm256_set1_epi16(1));
			sum = step < together ? four : _mm256_add_epi32(sum, four);
			__asm__("" : "+x"(sum));
		}
	}

	static __m256 floats(__m256i sum, int32_t start) {
		return _mm256_castsi256_ps(_mm256_add_epi32(sum, _mm256_set1_epi32(start)));
	}
};

} // namespace kernels::PROCTOR_LEVEL
