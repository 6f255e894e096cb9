// The instructions for pairs of bf16 (../avx512_bf16.h), written down after Intel's manual: with them the arithmetic of level bf16 runs
// on a CPU that has none.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// Numbers too small for a normal float are taken and given as 0, with their sign.
inline float flushed(float f) { return std::fabs(f) < 0x1p-126f ? std::copysign(0.0f, f) : f; }

inline uint32_t bits_of(float f) {
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

inline float float_of(uint32_t bits) {
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

inline uint32_t rounded_bf16(float f) {
	const uint32_t bits = bits_of(flushed(f));
	return std::isnan(f) ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

inline f32x16 bf16_pairs(f32x16 first, f32x16 second) {
	float low[vector], high[vector], pairs[vector];
	store(low, first);
	store(high, second);
	for (int i = 0; i < vector; i++) {
		pairs[i] = float_of(rounded_bf16(low[i]) | rounded_bf16(high[i]) << 16);
	}
	return load(pairs);
}

inline f32x16 add_bf16_products(f32x16 a, f32x16 b, f32x16 sum) {
	float left[vector], right[vector], sums[vector];
	store(left, a);
	store(right, b);
	store(sums, sum);
	for (int i = 0; i < vector; i++) {
		const uint32_t l = bits_of(left[i]), r = bits_of(right[i]), high = 0xffff0000;
		auto product = [&](uint32_t l, uint32_t r) {
			sums[i] = flushed(std::fma(flushed(float_of(l)), flushed(float_of(r)), flushed(sums[i])));
		};
		product(l & high, r & high);
		product(l << 16, r << 16);
	}
	return load(sums);
}

inline f32x16 floor(f32x16 v) { return {_mm256_floor_ps(v.low), _mm256_floor_ps(v.high)}; }
inline f32x16 fmsub(f32x16 a, f32x16 b, f32x16 c) {
	return {_mm256_fmsub_ps(a.low, b.low, c.low), _mm256_fmsub_ps(a.high, b.high, c.high)};
}

} // namespace kernels::PROCTOR_LEVEL
