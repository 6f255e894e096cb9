// How weights are stored whose blocks have 256 values, and many scales; see formats.h.
#pragma once

#include "formats.h"

namespace kernels::PROCTOR_LEVEL {

// The scales of a block, a float's multiples in bytes.
template <int groups> struct k_scales {
	f32x16 d;
	int8_t multiple[groups][tile_rows];
	explicit k_scales(const ggml_half *from) : d(load_f16(from)) {}
	f32x16 scale(int g) const { return mul(d, s8_to_f32(_mm_loadu_si128((const __m128i *) multiple[g]))); }
};

// The scales and offsets of a block, as k_scales.
template <int groups> struct k_offsets : k_scales<groups> {
	f32x16 dmin;
	int8_t least[groups][tile_rows];
	k_offsets(const ggml_half *scale, const ggml_half *offset) : k_scales<groups>(scale), dmin(load_f16(offset)) {}
	f32x16 offset(int g) const { return mul(dmin, s8_to_f32(_mm_loadu_si128((const __m128i *) least[g]))); }
};

struct block_q2_Kx16 {
	uint8_t scales[QK_K / 16][tile_rows];
	uint8_t qs[QK_K / 4 / dot_values][tile_bytes];
	ggml_half d[tile_rows], dmin[tile_rows];
};

// Q2_K: 256 values of 2 bits; a scale and an offset of 4 bits for every 16.
struct q2_K {
	using block = block_q2_K;
	static constexpr ggml_type type = GGML_TYPE_Q2_K;
	static constexpr int size = QK_K, part = 128, group = 16, most = 3, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q2_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<1>(to.scales, from.scales, QK_K / 16, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 4, row);
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.dmin, &from.dmin, 2, row);
	}
	static u8x64 values(const packed &from, int j, int i) {
		return shift_right_u16(load_bytes(from.qs[8 * j + i % 8]), i / 8 * 2) & broadcast_u8(3);
	}
	struct scales : k_offsets<QK_K / 16> {
		explicit scales(const packed &from) : k_offsets(from.d, from.dmin) {
			for (int i = 0; i < QK_K / 16; i += 4) {
				const u8x64 both = load_bytes(from.scales[i]);
				store_bytes(multiple[i], low_nibbles(both));
				store_bytes(least[i], high_nibbles(both));
			}
		}
	};
};

// Four scales of 6 bits, less 32: the lower four bits of one field, at a place, and two of another.
inline void put_scales_6(int8_t (*to)[tile_rows], u8x64 lower, int lower_shift, u8x64 upper, int upper_shift) {
	const u8x64 low = shift_right_u16(lower, lower_shift) & broadcast_u8(15);
	const u8x64 high = shift_left_u16(shift_right_u16(upper, upper_shift) & broadcast_u8(3), 4);
	store_bytes(to, sub_u8(low | high, broadcast_u8(32)));
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
	static constexpr int size = QK_K, part = 128, group = 16, most = 7, zero = 4;
	static constexpr bool offsets = false;
	using packed = block_q3_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<dot_values>(to.hmask, from.hmask, QK_K / 8, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 4, row);
		interleave<1>(to.scales, from.scales, sizeof from.scales, row);
		interleave<2>(to.d, &from.d, 2, row);
	}
	static u8x64 values(const packed &from, int j, int i) {
		const u8x64 lower = shift_right_u16(load_bytes(from.qs[8 * j + i % 8]), i / 8 * 2) & broadcast_u8(3);
		const u8x64 upper = shift_right_u16(load_bytes(from.hmask[i % 8]), 4 * j + i / 8) & broadcast_u8(1);
		return lower | shift_left_u16(upper, 2);
	}
	struct scales : k_scales<QK_K / 16> {
		explicit scales(const packed &from) : k_scales(from.d) {
			for (int i = 0; i < 4; i++) {
				put_scales_6(multiple + 4 * i, load_bytes(from.scales[i % 2 * 4]), i / 2 * 4, load_bytes(from.scales[8]), 2 * i);
			}
		}
	};
};

// The six-bit scales and offsets of Q4_K and Q5_K: eight of each in twelve bytes.
struct k_scales_6 : k_offsets<8> {
	template <class packed> explicit k_scales_6(const packed &from) : k_offsets(from.d, from.dmin) {
		const u8x64 bits6 = broadcast_u8(63), bits2 = broadcast_u8(0x30);
		const u8x64 first = load_bytes(from.scales[0]), second = load_bytes(from.scales[4]), both = load_bytes(from.scales[8]);
		store_bytes(multiple[0], first & bits6);
		store_bytes(least[0], second & bits6);
		store_bytes(multiple[4], low_nibbles(both) | (shift_right_u16(first, 2) & bits2));
		store_bytes(least[4], high_nibbles(both) | (shift_right_u16(second, 2) & bits2));
	}
};

struct block_q4_Kx16 {
	ggml_half d[tile_rows], dmin[tile_rows];
	uint8_t scales[K_SCALE_SIZE][tile_rows];
	uint8_t qs[QK_K / 2 / dot_values][tile_bytes];
};

// Q4_K: 256 values of 4 bits; a scale and an offset for every 32.
struct q4_K {
	using block = block_q4_K;
	static constexpr ggml_type type = GGML_TYPE_Q4_K;
	static constexpr int size = QK_K, part = 64, group = 32, most = 15, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q4_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.dmin, &from.dmin, 2, row);
		interleave<1>(to.scales, from.scales, K_SCALE_SIZE, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 2, row);
	}
	static u8x64 values(const packed &from, int j, int i) { return nibbles<8>(from.qs + 8 * j, i); }
	using scales = k_scales_6;
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
	static constexpr int size = QK_K, part = 64, group = 32, most = 31, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q5_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.dmin, &from.dmin, 2, row);
		interleave<1>(to.scales, from.scales, K_SCALE_SIZE, row);
		interleave<dot_values>(to.qh, from.qh, QK_K / 8, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 2, row);
	}
	static u8x64 values(const packed &from, int j, int i) {
		const u8x64 fifth = shift_right_u16(load_bytes(from.qh[i % 8]), 2 * j + i / 8) & broadcast_u8(1);
		return nibbles<8>(from.qs + 8 * j, i) | shift_left_u16(fifth, 4);
	}
	using scales = k_scales_6;
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
	static constexpr int size = QK_K, part = 128, group = 16, most = 63, zero = 32;
	static constexpr bool offsets = false;
	using packed = block_q6_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<dot_values>(to.ql, from.ql, QK_K / 2, row);
		interleave<dot_values>(to.qh, from.qh, QK_K / 4, row);
		interleave<1>(to.scales, from.scales, QK_K / 16, row);
		interleave<2>(to.d, &from.d, 2, row);
	}
	static u8x64 values(const packed &from, int j, int i) {
		const int quarter = i / 8;
		const u8x64 lower = nibbles<16>(from.ql + 16 * j, i), upper = load_bytes(from.qh[8 * j + i % 8]);
		const u8x64 at_5th = quarter < 2 ? shift_left_u16(upper, 4 - 2 * quarter) : shift_right_u16(upper, 2 * quarter - 4);
		return lower | (at_5th & broadcast_u8(0x30));
	}
	struct scales {
		f32x16 d;
		const int8_t (*multiple)[tile_rows];
		explicit scales(const packed &from) : d(load_f16(from.d)), multiple(from.scales) {}
		f32x16 scale(int g) const { return mul(d, s8_to_f32(_mm_loadu_si128((const __m128i *) multiple[g]))); }
	};
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
	static constexpr int size = QK_K, part = 32, group = 32, most = 255, zero = signed_bytes ? 0 : 128;
	static constexpr bool offsets = false;
	using packed = block_iq4_xsx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<1>(to.scales_h, &from.scales_h, 2, row);
		interleave<1>(to.scales_l, from.scales_l, QK_K / 64, row);
		interleave<dot_values>(to.qs, from.qs, QK_K / 2, row);
	}
	static u8x64 values(const packed &from, int j, int i) { return iq4(from.qs + 4 * j, i); }
	struct scales : k_scales<QK_K / 32> {
		explicit scales(const packed &from) : k_scales(from.d) {
			for (int i = 0; i < QK_K / 32; i++) {
				const __m128i low = _mm_srli_epi16(_mm_loadu_si128((const __m128i *) from.scales_l[i / 2]), i % 2 * 4);
				const __m128i high = _mm_srli_epi16(_mm_loadu_si128((const __m128i *) from.scales_h[i / 4]), i % 4 * 2);
				const __m128i upper = _mm_slli_epi16(_mm_and_si128(high, _mm_set1_epi8(3)), 4);
				const __m128i bits = _mm_or_si128(_mm_and_si128(low, _mm_set1_epi8(15)), upper);
				_mm_storeu_si128((__m128i *) multiple[i], _mm_sub_epi8(bits, _mm_set1_epi8(32)));
			}
		}
	};
};

} // namespace kernels::PROCTOR_LEVEL
