// Products of bytes on CPUs that have an instruction for their sums, of 512 bits.
#pragma once

#include PROCTOR_VECTORS

namespace kernels::PROCTOR_LEVEL {

constexpr bool signed_bytes = false;

// Sums of products of a format's weights with activations of eight bits, of one group of its values.
template <class format> struct dot_product {
	__m512i sum;

	// start is what the sums begin with.
	void begin(int32_t start) { sum = _mm512_set1_epi32(start); }

	// Adds the products of four weights of each row with four activations, those of one step of the group.
	void add(int, u8x64 weights, int32_t activations) { sum = _mm512_dpbusd_epi32(sum, weights, _mm512_set1_epi32(activations)); }

	// The sums, and what they began with, taken for the bits of floats.
	f32x16 floats(int32_t) const { return _mm512_castsi512_ps(sum); }
};

} // namespace kernels::PROCTOR_LEVEL
