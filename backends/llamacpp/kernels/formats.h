// How weights are stored: sixteen rows of a matrix together, a tile, so that a vector holds the same places of all of
// them. A packed block, block_q4_Kx16 for instance, is as large as the sixteen of ggml's blocks that it is made of, with the
// same fields: those of the values interleaved by four bytes, as the dot product of bytes takes them, all others by their
// element.
//
// Unpacked, a weight is scale × (value - zero) or scale × value - offset, by its format, value being 0…most; those of 8 bits
// are -128…127 where the level multiplies signed_bytes.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// Unpacked weights of a tile, as many values of each row as a format's block has.
struct unpacked {
	uint8_t (*value)[tile_bytes]; // [values / dot_values]
	float (*scale)[tile_rows];    // [values / group]
	float (*offset)[tile_rows];   // [values / group], in formats that have one
};

// Spreads n bytes of one row over a packed field, unit bytes at a time.
template <int unit> inline void interleave(void *field, const void *from, int n, int row) {
	for (int i = 0; i < n; i += unit) {
		memcpy((uint8_t *) field + i * tile_rows + row * unit, (const uint8_t *) from + i, unit);
	}
}

inline u8x64 low_nibbles(u8x64 v) { return v & broadcast_u8(0x0f); }
inline u8x64 high_nibbles(u8x64 v) { return low_nibbles(shift_right_u16(v, 4)); }

struct block_q8_0x16 {
	ggml_half d[tile_rows];
	uint8_t qs[QK8_0 / dot_values][tile_bytes];
};

// Q8_0: 32 values of 8 bits and a scale.
struct q8_0 {
	using block = block_q8_0;
	static constexpr ggml_type type = GGML_TYPE_Q8_0;
	static constexpr int size = QK8_0, group = 32, most = 255, zero = signed_bytes ? 0 : 128;
	static constexpr bool offsets = false;
	using packed = block_q8_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK8_0, row);
	}
	static void unpack(const packed &from, unpacked to) {
		for (int i = 0; i < QK8_0 / dot_values; i++) {
			const u8x64 value = load_bytes(from.qs[i]);
			store_bytes(to.value[i], signed_bytes ? value : value ^ broadcast_u8(0x80));
		}
		store(to.scale[0], load_f16(from.d));
	}
};

struct block_q4_0x16 {
	ggml_half d[tile_rows];
	uint8_t qs[QK4_0 / 2 / dot_values][tile_bytes];
};

// Q4_0: 32 values of 4 bits and a scale.
struct q4_0 {
	using block = block_q4_0;
	static constexpr ggml_type type = GGML_TYPE_Q4_0;
	static constexpr int size = QK4_0, group = 32, most = 15, zero = 8;
	static constexpr bool offsets = false;
	using packed = block_q4_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK4_0 / 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		for (int i = 0; i < 4; i++) {
			store_bytes(to.value[i], low_nibbles(load_bytes(from.qs[i])));
			store_bytes(to.value[4 + i], high_nibbles(load_bytes(from.qs[i])));
		}
		store(to.scale[0], load_f16(from.d));
	}
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
	static constexpr int size = QK5_0, group = 32, most = 31, zero = 16;
	static constexpr bool offsets = false;
	using packed = block_q5_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qh, from.qh, 4, row);
		interleave<dot_values>(to.qs, from.qs, QK5_0 / 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		u8x64 fifth = load_bytes(from.qh);
		for (int i = 0; i < 8; i++) {
			// The four bits of this quad, each to the fifth place of its byte.
			u8x64 bits = shift_right_u32(fifth, 4 * i) & broadcast_u32(0xf);
			bits = mul_u32(bits, broadcast_u32(0x204081)) & broadcast_u32(0x01010101);
			u8x64 nibbles = i < 4 ? low_nibbles(load_bytes(from.qs[i])) : high_nibbles(load_bytes(from.qs[i - 4]));
			store_bytes(to.value[i], nibbles | shift_left_u16(bits, 4));
		}
		store(to.scale[0], load_f16(from.d));
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

} // namespace kernels::PROCTOR_LEVEL
