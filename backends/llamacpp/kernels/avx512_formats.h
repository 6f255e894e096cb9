// How weights are stored: sixteen rows of a matrix together, a tile, so that a vector holds the same places of all of
// them. A packed block, block_q4_Kx16 for instance, is as large as the sixteen of ggml's blocks that it is made of, with the
// same fields: those of the values interleaved by four bytes, as the dot product of bytes takes them, all others by their
// element.
//
// Unpacked, a weight is scale × (value - zero) or scale × value - offset, by its format, value being 0…255.
#pragma once

#include <cstdint>
#include <cstring>

#define GGML_COMMON_DECL_C
#include "ggml-common.h"
#include "ggml.h"

#include "avx512_target.h"

namespace kernels::avx512 {

constexpr int tile_rows = 16; // that are packed together
constexpr int dot_values = 4; // of a row, multiplied by one instruction
constexpr int tile_bytes = tile_rows * dot_values;

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

inline __m512 load_f16(const ggml_half *from) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *) from)); }
inline __m512i low_nibbles(__m512i v) { return _mm512_and_si512(v, _mm512_set1_epi8(0x0f)); }
inline __m512i high_nibbles(__m512i v) { return low_nibbles(_mm512_srli_epi16(v, 4)); }
inline __m512 u8_to_f32(__m128i v) { return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(v)); }

struct block_q8_0x16 {
	ggml_half d[tile_rows];
	uint8_t qs[QK8_0 / dot_values][tile_bytes];
};

// Q8_0: 32 values of 8 bits and a scale.
struct q8_0 {
	using block = block_q8_0;
	static constexpr ggml_type type = GGML_TYPE_Q8_0;
	static constexpr int size = QK8_0, group = 32, zero = 128;
	using packed = block_q8_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK8_0, row);
	}
	static void unpack(const packed &from, unpacked to) {
		for (int i = 0; i < QK8_0 / dot_values; i++) {
			_mm512_storeu_si512(to.value[i], _mm512_xor_si512(_mm512_loadu_si512(from.qs[i]), _mm512_set1_epi8((char) 0x80)));
		}
		_mm512_storeu_ps(to.scale[0], load_f16(from.d));
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
	static constexpr int size = QK4_0, group = 32, zero = 8;
	using packed = block_q4_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qs, from.qs, QK4_0 / 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		for (int i = 0; i < 4; i++) {
			_mm512_storeu_si512(to.value[i], low_nibbles(_mm512_loadu_si512(from.qs[i])));
			_mm512_storeu_si512(to.value[4 + i], high_nibbles(_mm512_loadu_si512(from.qs[i])));
		}
		_mm512_storeu_ps(to.scale[0], load_f16(from.d));
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
	static constexpr int size = QK5_0, group = 32, zero = 16;
	using packed = block_q5_0x16;
	static void pack(packed &to, const block &from, int row) {
		interleave<2>(to.d, &from.d, 2, row);
		interleave<dot_values>(to.qh, from.qh, 4, row);
		interleave<dot_values>(to.qs, from.qs, QK5_0 / 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		__m512i fifth = _mm512_loadu_si512(from.qh);
		for (int i = 0; i < 8; i++) {
			// The four bits of this quad, each to the fifth place of its byte.
			__m512i bits = _mm512_and_si512(_mm512_srli_epi32(fifth, 4 * i), _mm512_set1_epi32(0xf));
			bits = _mm512_and_si512(_mm512_mullo_epi32(bits, _mm512_set1_epi32(0x204081)), _mm512_set1_epi32(0x01010101));
			__m512i nibbles = i < 4 ? low_nibbles(_mm512_loadu_si512(from.qs[i])) : high_nibbles(_mm512_loadu_si512(from.qs[i - 4]));
			_mm512_storeu_si512(to.value[i], _mm512_or_si512(nibbles, _mm512_slli_epi32(bits, 4)));
		}
		_mm512_storeu_ps(to.scale[0], load_f16(from.d));
	}
};

// The six-bit scales and offsets of Q4_K and Q5_K: eight of each in twelve bytes.
inline void unpack_scales(const uint8_t (*scales)[tile_rows], const ggml_half *d, const ggml_half *dmin, unpacked to) {
	const __m128i bits6 = _mm_set1_epi8(63), bits4 = _mm_set1_epi8(15), bits2 = _mm_set1_epi8(3);
	__m128i s[12];
	for (int i = 0; i < 12; i++) {
		s[i] = _mm_loadu_si128((const __m128i *) scales[i]);
	}
	__m512 scale = load_f16(d), offset = load_f16(dmin);
	for (int i = 0; i < 4; i++) {
		_mm512_storeu_ps(to.scale[i], _mm512_mul_ps(scale, u8_to_f32(_mm_and_si128(s[i], bits6))));
		_mm512_storeu_ps(to.offset[i], _mm512_mul_ps(offset, u8_to_f32(_mm_and_si128(s[i + 4], bits6))));
		auto upper = [&](__m128i v) { return _mm_slli_epi16(_mm_and_si128(_mm_srli_epi16(v, 6), bits2), 4); };
		__m128i a = _mm_or_si128(_mm_and_si128(s[i + 8], bits4), upper(s[i]));
		__m128i b = _mm_or_si128(_mm_and_si128(_mm_srli_epi16(s[i + 8], 4), bits4), upper(s[i + 4]));
		_mm512_storeu_ps(to.scale[i + 4], _mm512_mul_ps(scale, u8_to_f32(a)));
		_mm512_storeu_ps(to.offset[i + 4], _mm512_mul_ps(offset, u8_to_f32(b)));
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
	static constexpr int size = QK_K, group = 32, zero = 0;
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
				__m512i v = _mm512_loadu_si512(from.qs[8 * j + i]);
				_mm512_storeu_si512(to.value[16 * j + i], low_nibbles(v));
				_mm512_storeu_si512(to.value[16 * j + 8 + i], high_nibbles(v));
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
	static constexpr int size = QK_K, group = 32, zero = 0;
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
		const __m512i one = _mm512_set1_epi8(1);
		for (int j = 0; j < 4; j++) {
			for (int i = 0; i < 8; i++) {
				__m512i v = _mm512_loadu_si512(from.qs[8 * j + i]), fifth = _mm512_loadu_si512(from.qh[i]);
				__m512i a = _mm512_and_si512(_mm512_srli_epi16(fifth, 2 * j), one);
				__m512i b = _mm512_and_si512(_mm512_srli_epi16(fifth, 2 * j + 1), one);
				_mm512_storeu_si512(to.value[16 * j + i], _mm512_or_si512(low_nibbles(v), _mm512_slli_epi16(a, 4)));
				_mm512_storeu_si512(to.value[16 * j + 8 + i], _mm512_or_si512(high_nibbles(v), _mm512_slli_epi16(b, 4)));
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
	static constexpr int size = QK_K, group = 16, zero = 32;
	using packed = block_q6_Kx16;
	static void pack(packed &to, const block &from, int row) {
		interleave<dot_values>(to.ql, from.ql, QK_K / 2, row);
		interleave<dot_values>(to.qh, from.qh, QK_K / 4, row);
		interleave<1>(to.scales, from.scales, QK_K / 16, row);
		interleave<2>(to.d, &from.d, 2, row);
	}
	static void unpack(const packed &from, unpacked to) {
		const __m512i bits2 = _mm512_set1_epi8(3);
		auto upper = [&](__m512i v) { return _mm512_slli_epi16(_mm512_and_si512(v, bits2), 4); };
		for (int half = 0; half < 2; half++) {
			for (int i = 0; i < 8; i++) {
				__m512i a = _mm512_loadu_si512(from.ql[16 * half + i]), b = _mm512_loadu_si512(from.ql[16 * half + 8 + i]);
				__m512i h = _mm512_loadu_si512(from.qh[8 * half + i]);
				uint8_t(*value)[tile_bytes] = to.value + 32 * half + i;
				_mm512_storeu_si512(value[0], _mm512_or_si512(low_nibbles(a), upper(h)));
				_mm512_storeu_si512(value[8], _mm512_or_si512(low_nibbles(b), upper(_mm512_srli_epi16(h, 2))));
				_mm512_storeu_si512(value[16], _mm512_or_si512(high_nibbles(a), upper(_mm512_srli_epi16(h, 4))));
				_mm512_storeu_si512(value[24], _mm512_or_si512(high_nibbles(b), upper(_mm512_srli_epi16(h, 6))));
			}
		}
		__m512 d = load_f16(from.d);
		for (int i = 0; i < QK_K / 16; i++) {
			__m128i s = _mm_loadu_si128((const __m128i *) from.scales[i]);
			_mm512_storeu_ps(to.scale[i], _mm512_mul_ps(d, _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(s))));
		}
	}
};

} // namespace kernels::avx512
