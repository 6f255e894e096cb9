// How weights are stored: sixteen rows of a matrix together, a tile, so that a vector holds the same places of all of
// them. A packed block, block_q4_Kx16 for instance, is as large as the sixteen of ggml's blocks that it is made of, with the
// same fields: those of the values interleaved by four bytes, as the dot product of bytes takes them, all others by their
// element.
//
// Unpacked, a weight is scale × (value - zero) or scale × value - offset, by its format, value being 0…most; those of 8 bits
// are -128…127 where the level multiplies signed_bytes. A format's values returns dot_values of each row: the i-th of a part of
// a block, whose parts are stored alike. Its scales are what groups of values are multiplied with. Here are the formats whose
// blocks have 32 values; those of 256 are in k_quants.h.
#pragma once

#include "level_contract.h"

namespace kernels::PROCTOR_LEVEL {

// Unpacks a block.
template <class format>
inline void unpack(
	const typename format::packed &from, uint8_t (*value)[tile_bytes], float (*scale)[tile_rows], float (*offset)[tile_rows]) {
	constexpr int steps = format::part / dot_values;
	for (int j = 0; j < format::size / format::part; j++, value += steps) {
#pragma GCC unroll 32
		for (int i = 0; i < steps; i++) {
			store_bytes(value[i], format::values(from, j, i));
		}
	}
	const typename format::scales scales(from);
	for (int g = 0; g < format::size / format::group; g++) {
		store(scale[g], scales.scale(g));
		if constexpr (format::offsets) {
			store(offset[g], scales.offset(g));
		}
	}
}

// Spreads n bytes of one row over a packed field, unit bytes at a time.
template <int unit> inline void interleave(void *field, const void *from, int n, int row) {
	for (int i = 0; i < n; i += unit) {
		memcpy((uint8_t *) field + i * tile_rows + row * unit, (const uint8_t *) from + i, unit);
	}
}

inline u8x64 low_nibbles(u8x64 v) { return v & broadcast_u8(0x0f); }
inline u8x64 high_nibbles(u8x64 v) { return low_nibbles(shift_right_u16(v, 4)); }

// A value of 8 bits with a sign, as the level multiplies it.
inline u8x64 as_multiplied(u8x64 v) { return signed_bytes ? v : v ^ broadcast_u8(0x80); }

// The i-th of values of 4 bits, 32 or 64: the lower ones of all bytes, then the upper ones.
template <int half = 4> inline u8x64 nibbles(const uint8_t (*from)[tile_bytes], int i) {
	return i < half ? low_nibbles(load_bytes(from[i])) : high_nibbles(load_bytes(from[i - half]));
}

// The fifth bits of the i-th of 32 values, which a word has for each row: each to the fifth place of its byte.
inline u8x64 fifth_bits(const uint8_t *from, int i) {
	constexpr uint32_t first_of_bytes = 0x01010101;
	constexpr uint32_t to_bytes = 1 | 1 << 7 | 1 << 14 | 1 << 21; // times four bits: bit i comes to the first place of byte i
	const u8x64 four = shift_right_u32(load_bytes(from), 4 * i) & broadcast_u32(0xf);
	return shift_left_u16(mul_u32(four, broadcast_u32(to_bytes)) & broadcast_u32(first_of_bytes), 4);
}

// The scale of a block that has one.
struct one_scale {
	f32x16 d;
	template <class packed> explicit one_scale(const packed &from) : d(load_f16(from.d)) {}
	f32x16 scale(int) const { return d; }
};

// The scale of a block, and its least weight.
struct scale_and_least : one_scale {
	f32x16 m;
	template <class packed> explicit scale_and_least(const packed &from) : one_scale(from), m(load_f16(from.m)) {}
	f32x16 offset(int) const { return sub(zeros(), m); }
};

struct block_q8_0x16 {
	ggml_half d[tile_rows];
	uint8_t qs[QK8_0 / dot_values][tile_bytes];
};

// Q8_0: 32 values of 8 bits and a scale.
struct q8_0 {
	using block = block_q8_0;
	static constexpr ggml_type type = GGML_TYPE_Q8_0;
	static constexpr int size = QK8_0, part = 32, group = 32, most = 255, zero = signed_bytes ? 0 : 128;
	static constexpr bool offsets = false;
	using packed = block_q8_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK8_0, row);
	}
	static u8x64 values(const packed &from, int, int i) { return as_multiplied(load_bytes(from.qs[i])); }
	using scales = one_scale;
};

struct block_q4_0x16 {
	ggml_half d[tile_rows];
	uint8_t qs[QK4_0 / 2 / dot_values][tile_bytes];
};

// Q4_0: 32 values of 4 bits and a scale.
struct q4_0 {
	using block = block_q4_0;
	static constexpr ggml_type type = GGML_TYPE_Q4_0;
	static constexpr int size = QK4_0, part = 32, group = 32, most = 15, zero = 8;
	static constexpr bool offsets = false;
	using packed = block_q4_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK4_0 / 2, row);
	}
	static u8x64 values(const packed &from, int, int i) { return nibbles(from.qs, i); }
	using scales = one_scale;
};

struct block_q4_1x16 {
	ggml_half d[tile_rows], m[tile_rows];
	uint8_t qs[QK4_1 / 2 / dot_values][tile_bytes];
};

// Q4_1: 32 values of 4 bits, a scale and the least weight.
struct q4_1 {
	using block = block_q4_1;
	static constexpr ggml_type type = GGML_TYPE_Q4_1;
	static constexpr int size = QK4_1, part = 32, group = 32, most = 15, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q4_1x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.m, &from.m, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK4_1 / 2, row);
	}
	static u8x64 values(const packed &from, int, int i) { return nibbles(from.qs, i); }
	using scales = scale_and_least;
};

struct block_q5_0x16 {
	ggml_half d[tile_rows];
	uint8_t qh[tile_bytes];
	uint8_t qs[QK5_0 / 2 / dot_values][tile_bytes];
};

// Q5_0: as Q4_0, with the fifth bits of all values in a word of their own.
struct q5_0 {
	using block = block_q5_0;
	static constexpr ggml_type type = GGML_TYPE_Q5_0;
	static constexpr int size = QK5_0, part = 32, group = 32, most = 31, zero = 16;
	static constexpr bool offsets = false;
	using packed = block_q5_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qh, from.qh, 4, row);
		interleave<dot_values>(to.qs, from.qs, QK5_0 / 2, row);
	}
	static u8x64 values(const packed &from, int, int i) { return nibbles(from.qs, i) | fifth_bits(from.qh, i); }
	using scales = one_scale;
};

struct block_q5_1x16 {
	ggml_half d[tile_rows], m[tile_rows];
	uint8_t qh[tile_bytes];
	uint8_t qs[QK5_1 / 2 / dot_values][tile_bytes];
};

// Q5_1: as Q4_1, with the fifth bits as in Q5_0.
struct q5_1 {
	using block = block_q5_1;
	static constexpr ggml_type type = GGML_TYPE_Q5_1;
	static constexpr int size = QK5_1, part = 32, group = 32, most = 31, zero = 0;
	static constexpr bool offsets = true;
	using packed = block_q5_1x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<2>(to.m, &from.m, 2, row);
		interleave<dot_values>(to.qh, from.qh, 4, row);
		interleave<dot_values>(to.qs, from.qs, QK5_1 / 2, row);
	}
	static u8x64 values(const packed &from, int, int i) { return nibbles(from.qs, i) | fifth_bits(from.qh, i); }
	using scales = scale_and_least;
};

// What the 4 bits of IQ4_NL and IQ4_XS stand for.
constexpr int8_t iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// The i-th of 32 values of 4 bits, looked up.
inline u8x64 iq4(const uint8_t (*from)[tile_bytes], int i) { return as_multiplied(lookup(iq4_values, nibbles(from, i))); }

// IQ4_NL: as Q4_0, with values from a table.
struct iq4_nl {
	using block = block_iq4_nl;
	static constexpr ggml_type type = GGML_TYPE_IQ4_NL;
	static constexpr int size = QK4_NL, part = 32, group = 32, most = 255, zero = signed_bytes ? 0 : 128;
	static constexpr bool offsets = false;
	using packed = block_q4_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK4_NL / 2, row);
	}
	static u8x64 values(const packed &from, int, int i) { return iq4(from.qs, i); }
	using scales = one_scale;
};

struct block_mxfp4x16 {
	uint8_t e[tile_rows];
	uint8_t qs[QK_MXFP4 / 2 / dot_values][tile_bytes];
};

// MXFP4: 32 floats of 4 bits and a power of two; the values are twice the floats, and 12 more.
struct mxfp4 {
	using block = block_mxfp4;
	static constexpr ggml_type type = GGML_TYPE_MXFP4;
	static constexpr int size = QK_MXFP4, part = 32, group = 32, most = 24, zero = 12;
	static constexpr bool offsets = false;
	using packed = block_mxfp4x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<1>(to.e, &from.e, 1, row);
		interleave<dot_values>(to.qs, from.qs, QK_MXFP4 / 2, row);
	}
	static u8x64 values(const packed &from, int, int i) {
		static constexpr int8_t table[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
		return lookup(table, nibbles(from.qs, i));
	}
	struct scales {
		float of[tile_rows];
		explicit scales(const packed &from) {
			for (int row = 0; row < tile_rows; row++) {
				of[row] = GGML_E8M0_TO_FP32_HALF(from.e[row]);
			}
		}
		f32x16 scale(int) const { return load(of); }
	};
};

} // namespace kernels::PROCTOR_LEVEL
