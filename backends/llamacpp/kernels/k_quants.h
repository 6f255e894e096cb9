// How weights are stored whose blocks have 256 values, and many scales; see formats.h.
#pragma once

#include "formats.h"

namespace kernels::PROCTOR_LEVEL {

struct block_q2_Kx16 {
	uint8_t scales[QK_K / 16][tile_rows];
	uint8_t qs[QK_K / 4 / dot_values][tile_bytes];
	ggml_half d[tile_rows], dmin[tile_rows];
};

// Q2_K: 256 values of 2 bits; a scale and an offset of 4 bits for every 16.
struct q2_K {
	using block = block_q2_K;
	static constexpr ggml_type type = GGML_TYPE_Q2_K;
	static constexpr int size = QK_K, group = 16, most = 3, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q2_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<1>(to.scales, from.scales, QK_K / 16, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 4, row);
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.dmin, &from.dmin, 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		for (int i = 0; i < 64; i++) {
			const int half = i / 32, pair = i / 8 % 4, quad = i % 8;
			store_bytes(to.value[i], shift_right_u16(load_bytes(from.qs[8 * half + quad]), 2 * pair) & broadcast_u8(3));
		}
		const f32x16 scale = load_f16(from.d), offset = load_f16(from.dmin);
		const __m128i bits4 = _mm_set1_epi8(15);
		for (int i = 0; i < QK_K / group; i++) {
			const __m128i s = _mm_loadu_si128((const __m128i *) from.scales[i]);
			store(to.scale[i], mul(scale, u8_to_f32(_mm_and_si128(s, bits4))));
			store(to.offset[i], mul(offset, u8_to_f32(_mm_and_si128(_mm_srli_epi16(s, 4), bits4))));
		}
	}
};

// Scales of 6 bits, less 32: the lower four bits of one field, at a place, and two of another.
inline f32x16 scales_6(const uint8_t *lower, int lower_shift, const uint8_t *upper, int upper_shift) {
	const __m128i low = _mm_srli_epi16(_mm_loadu_si128((const __m128i *) lower), lower_shift);
	const __m128i high = _mm_srli_epi16(_mm_loadu_si128((const __m128i *) upper), upper_shift);
	const __m128i bits = _mm_or_si128(_mm_and_si128(low, _mm_set1_epi8(15)), _mm_slli_epi16(_mm_and_si128(high, _mm_set1_epi8(3)), 4));
	return s8_to_f32(_mm_sub_epi8(bits, _mm_set1_epi8(32)));
}

struct block_q3_Kx16 {
	uint8_t hmask[QK_K / 8 / dot_values][tile_bytes];
	uint8_t qs[QK_K / 4 / dot_values][tile_bytes];
	uint8_t scales[12][tile_rows];
	ggml_half d[tile_rows];
};

// Q3_K: 256 values of 3 bits, the upper one in a field of its own; a scale of 6 bits for every 16.
struct q3_K {
	using block = block_q3_K;
	static constexpr ggml_type type = GGML_TYPE_Q3_K;
	static constexpr int size = QK_K, group = 16, most = 7, zero = 4;
	static constexpr bool offsets = false;
	using packed = block_q3_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<dot_values>(to.hmask, from.hmask, QK_K / 8, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 4, row);
		interleave<1>(to.scales, from.scales, sizeof from.scales, row);
		interleave<2>(to.d, &from.d, 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		for (int i = 0; i < 64; i++) {
			const int half = i / 32, pair = i / 8 % 4, quad = i % 8;
			const u8x64 lower = shift_right_u16(load_bytes(from.qs[8 * half + quad]), 2 * pair) & broadcast_u8(3);
			const u8x64 upper = shift_right_u16(load_bytes(from.hmask[quad]), i / 8) & broadcast_u8(1);
			store_bytes(to.value[i], lower | shift_left_u16(upper, 2));
		}
		const f32x16 d = load_f16(from.d);
		for (int i = 0; i < QK_K / group; i++) {
			store(to.scale[i], mul(d, scales_6(from.scales[i % 8], i / 8 * 4, from.scales[8 + i % 4], i / 4 * 2)));
		}
	}
};

// The six-bit scales and offsets of Q4_K and Q5_K: eight of each in twelve bytes.
inline void unpack_scales(const uint8_t (*scales)[tile_rows], const ggml_half *d, const ggml_half *dmin, unpacked to) {
	const __m128i bits6 = _mm_set1_epi8(63), bits4 = _mm_set1_epi8(15), bits2 = _mm_set1_epi8(3);
	__m128i s[12];
	for (int i = 0; i < 12; i++) {
		s[i] = _mm_loadu_si128((const __m128i *) scales[i]);
	}
	f32x16 scale = load_f16(d), offset = load_f16(dmin);
	for (int i = 0; i < 4; i++) {
		store(to.scale[i], mul(scale, u8_to_f32(_mm_and_si128(s[i], bits6))));
		store(to.offset[i], mul(offset, u8_to_f32(_mm_and_si128(s[i + 4], bits6))));
		auto upper = [&](__m128i v) { return _mm_slli_epi16(_mm_and_si128(_mm_srli_epi16(v, 6), bits2), 4); };
		__m128i a = _mm_or_si128(_mm_and_si128(s[i + 8], bits4), upper(s[i]));
		__m128i b = _mm_or_si128(_mm_and_si128(_mm_srli_epi16(s[i + 8], 4), bits4), upper(s[i + 4]));
		store(to.scale[i + 4], mul(scale, u8_to_f32(a)));
		store(to.offset[i + 4], mul(offset, u8_to_f32(b)));
	}
}

struct block_q4_Kx16 {
	ggml_half d[tile_rows], dmin[tile_rows];
	uint8_t scales[K_SCALE_SIZE][tile_rows];
	uint8_t qs[QK_K / 2 / dot_values][tile_bytes];
};

// Q4_K: 256 values of 4 bits; a scale and an offset for every 32.
struct q4_K {
	using block = block_q4_K;
	static constexpr ggml_type type = GGML_TYPE_Q4_K;
	static constexpr int size = QK_K, group = 32, most = 15, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q4_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.dmin, &from.dmin, 2, row);
		interleave<1>(to.scales, from.scales, K_SCALE_SIZE, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		unpack_scales(from.scales, from.d, from.dmin, to);
		for (int j = 0; j < 4; j++) {
			for (int i = 0; i < 8; i++) {
				u8x64 v = load_bytes(from.qs[8 * j + i]);
				store_bytes(to.value[16 * j + i], low_nibbles(v));
				store_bytes(to.value[16 * j + 8 + i], high_nibbles(v));
			}
		}
	}
};

struct block_q5_Kx16 {
	ggml_half d[tile_rows], dmin[tile_rows];
	uint8_t scales[K_SCALE_SIZE][tile_rows];
	uint8_t qh[QK_K / 8 / dot_values][tile_bytes];
	uint8_t qs[QK_K / 2 / dot_values][tile_bytes];
};

// Q5_K: as Q4_K, with the fifth bits in a field of their own.
struct q5_K {
	using block = block_q5_K;
	static constexpr ggml_type type = GGML_TYPE_Q5_K;
	static constexpr int size = QK_K, group = 32, most = 31, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q5_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.dmin, &from.dmin, 2, row);
		interleave<1>(to.scales, from.scales, K_SCALE_SIZE, row);
		interleave<dot_values>(to.qh, from.qh, QK_K / 8, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		unpack_scales(from.scales, from.d, from.dmin, to);
		const u8x64 one = broadcast_u8(1);
		for (int j = 0; j < 4; j++) {
			for (int i = 0; i < 8; i++) {
				u8x64 v = load_bytes(from.qs[8 * j + i]), fifth = load_bytes(from.qh[i]);
				u8x64 a = shift_right_u16(fifth, 2 * j) & one;
				u8x64 b = shift_right_u16(fifth, 2 * j + 1) & one;
				store_bytes(to.value[16 * j + i], low_nibbles(v) | shift_left_u16(a, 4));
				store_bytes(to.value[16 * j + 8 + i], high_nibbles(v) | shift_left_u16(b, 4));
			}
		}
	}
};

struct block_q6_Kx16 {
	uint8_t ql[QK_K / 2 / dot_values][tile_bytes];
	uint8_t qh[QK_K / 4 / dot_values][tile_bytes];
	int8_t scales[QK_K / 16][tile_rows];
	ggml_half d[tile_rows];
};

// Q6_K: 256 values of 6 bits, the upper two in a field of their own; a scale for every 16.
struct q6_K {
	using block = block_q6_K;
	static constexpr ggml_type type = GGML_TYPE_Q6_K;
	static constexpr int size = QK_K, group = 16, most = 63, zero = 32;
	static constexpr bool offsets = false;
	using packed = block_q6_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<dot_values>(to.ql, from.ql, QK_K / 2, row);
		interleave<dot_values>(to.qh, from.qh, QK_K / 4, row);
		interleave<1>(to.scales, from.scales, QK_K / 16, row);
		interleave<2>(to.d, &from.d, 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		const u8x64 bits2 = broadcast_u8(3);
		auto upper = [&](u8x64 v) { return shift_left_u16(v & bits2, 4); };
		for (int half = 0; half < 2; half++) {
			for (int i = 0; i < 8; i++) {
				u8x64 a = load_bytes(from.ql[16 * half + i]), b = load_bytes(from.ql[16 * half + 8 + i]);
				u8x64 h = load_bytes(from.qh[8 * half + i]);
				uint8_t(*value)[tile_bytes] = to.value + 32 * half + i;
				store_bytes(value[0], low_nibbles(a) | upper(h));
				store_bytes(value[8], low_nibbles(b) | upper(shift_right_u16(h, 2)));
				store_bytes(value[16], high_nibbles(a) | upper(shift_right_u16(h, 4)));
				store_bytes(value[24], high_nibbles(b) | upper(shift_right_u16(h, 6)));
			}
		}
		f32x16 d = load_f16(from.d);
		for (int i = 0; i < QK_K / 16; i++) {
			__m128i s = _mm_loadu_si128((const __m128i *) from.scales[i]);
			store(to.scale[i], mul(d, s8_to_f32(s)));
		}
	}
};

struct block_iq4_xsx16 {
	ggml_half d[tile_rows];
	uint8_t scales_h[2][tile_rows];
	uint8_t scales_l[QK_K / 64][tile_rows];
	uint8_t qs[QK_K / 2 / dot_values][tile_bytes];
};

// IQ4_XS: 256 values as those of IQ4_NL; a scale of 6 bits for every 32.
struct iq4_xs {
	using block = block_iq4_xs;
	static constexpr ggml_type type = GGML_TYPE_IQ4_XS;
	static constexpr int size = QK_K, group = 32, most = 255, zero = signed_bytes ? 0 : 128;
	static constexpr bool offsets = false;
	using packed = block_iq4_xsx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<1>(to.scales_h, &from.scales_h, 2, row);
		interleave<1>(to.scales_l, from.scales_l, QK_K / 64, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		const f32x16 d = load_f16(from.d);
		for (int i = 0; i < QK_K / group; i++) {
			unpack_iq4(from.qs + 4 * i, to.value + 8 * i);
			store(to.scale[i], mul(d, scales_6(from.scales_l[i / 2], i % 2 * 4, from.scales_h[i / 4], i % 4 * 2)));
		}
	}
};

} // namespace kernels::PROCTOR_LEVEL
