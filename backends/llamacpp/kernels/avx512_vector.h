// Vectors of sixteen floats, and of 64 bytes, on CPUs that have AVX-512 with VNNI. Those of other levels have the same
// functions, with the same results to the bit. PROCTOR_LEVEL is the level, avx512 or amx, whose file has set the target.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// What is kept in registers at once, of 32, and in a L2 cache of 1 MiB or more.
constexpr int row_tiles = 2;               // of quantised weights or floats, multiplied together
constexpr int float_columns = 8;           // of activations, multiplied together with floats
constexpr int float_decode_tiles = 4;      // of floats, multiplied with a single column: its sums have to wait for each other
constexpr int packed_columns = 8;          // of activations, multiplied together with quantised weights as they are packed
constexpr int packed_passes = 2;           // of them at most; beyond, weights are better unpacked to memory once
constexpr int gemm_rows = 4;               // of attention's products, computed together
constexpr int gemm_vectors = 4;            // of them
constexpr int few_tile = 4;                // of them that read the cache as it lies
constexpr int few_sums = 16;               // of them, computed together
constexpr size_t l2_panel_bytes = 1 << 20; // of panels that stay in the L2 cache beside the weights

using f32x16 = __m512;
using u8x64 = __m512i;

inline f32x16 zeros() { return _mm512_setzero_ps(); }
inline f32x16 broadcast(float value) { return _mm512_set1_ps(value); }
inline f32x16 load(const float *from) { return _mm512_loadu_ps(from); }
inline void store(float *to, f32x16 v) { _mm512_storeu_ps(to, v); }
inline f32x16 add(f32x16 a, f32x16 b) { return _mm512_add_ps(a, b); }
inline f32x16 sub(f32x16 a, f32x16 b) { return _mm512_sub_ps(a, b); }
inline f32x16 mul(f32x16 a, f32x16 b) { return _mm512_mul_ps(a, b); }
inline f32x16 div(f32x16 a, f32x16 b) { return _mm512_div_ps(a, b); }
inline f32x16 min(f32x16 a, f32x16 b) { return _mm512_min_ps(a, b); }
inline f32x16 max(f32x16 a, f32x16 b) { return _mm512_max_ps(a, b); }
inline f32x16 abs(f32x16 v) { return _mm512_abs_ps(v); }
inline f32x16 with_sign_of(f32x16 size, f32x16 v) { return _mm512_or_ps(size, _mm512_and_ps(_mm512_set1_ps(-0.0f), v)); }
inline f32x16 fmadd(f32x16 a, f32x16 b, f32x16 c) { return _mm512_fmadd_ps(a, b, c); }   // a × b + c, rounded once
inline f32x16 fnmadd(f32x16 a, f32x16 b, f32x16 c) { return _mm512_fnmadd_ps(a, b, c); } // c - a × b, rounded once
inline f32x16 swap_pairs(f32x16 v) { return _mm512_permute_ps(v, 0xb1); } // places 2i and 2i + 1
inline __m256 low_half(f32x16 v) { return _mm512_castps512_ps256(v); }
inline __m256 high_half(f32x16 v) { return _mm512_extractf32x8_ps(v, 1); }

inline f32x16 f16_to_f32(__m256i v) { return _mm512_cvtph_ps(v); }
inline f32x16 load_f16(const ggml_half *from) { return f16_to_f32(_mm256_loadu_si256((const __m256i *) from)); }
inline f32x16 load_bf16(const uint16_t *from) {
	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *) from)), 16));
}
inline f32x16 u8_to_f32(__m128i v) { return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(v)); }
inline f32x16 s8_to_f32(__m128i v) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(v)); }
inline f32x16 load_s32(const int32_t *from) { return _mm512_cvtepi32_ps(_mm512_loadu_si512(from)); }

// Returns v × 2^n, n being integers of which no product is too large or too small for a normal float.
inline f32x16 scale_by_power_of_2(f32x16 v, f32x16 n) { return _mm512_scalef_ps(v, n); }

// Some of sixteen places.
using mask = __mmask16;

inline mask first_lanes(int64_t count) { return (mask) ((1u << std::clamp<int64_t>(count, 0, 16)) - 1); }
inline mask both(mask a, mask b) { return a & b; }
inline bool any(mask m) { return m != 0; }
inline mask non_finite(f32x16 v) { return _mm512_fpclass_ps_mask(v, 0x99); }
inline mask not_equal(f32x16 a, f32x16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
inline mask above(f32x16 a, f32x16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_NLE_UQ); } // or no number
inline f32x16 select(mask m, f32x16 yes, f32x16 no) { return _mm512_mask_blend_ps(m, no, yes); }

// Reads or writes the first count floats, and nothing beyond them; the other places that it reads are 0.
inline f32x16 load_first(const float *from, int64_t count) {
	return count >= 16 ? load(from) : _mm512_maskz_loadu_ps(first_lanes(count), from);
}
inline void store_first(float *to, f32x16 v, int64_t count) {
	if (count >= 16) {
		store(to, v);
	} else {
		_mm512_mask_storeu_ps(to, first_lanes(count), v);
	}
}

// Reads the first count halves, and nothing beyond them; the other places are 0.
inline f32x16 load_first_f16(const ggml_half *from, int64_t count) {
	return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(count), from));
}

// Sixteen integers, in the same registers.
inline u8x64 bits(f32x16 v) { return _mm512_castps_si512(v); }
inline u8x64 round_s32(f32x16 v) { return _mm512_cvtps_epi32(v); }
inline u8x64 max_s32(u8x64 a, u8x64 b) { return _mm512_max_epi32(a, b); }
inline u8x64 add_s32(u8x64 a, u8x64 b) { return _mm512_add_epi32(a, b); }
inline __m256i low_half(u8x64 v) { return _mm512_castsi512_si256(v); }
inline __m256i high_half(u8x64 v) { return _mm512_extracti64x4_epi64(v, 1); }
inline void store_s8(int8_t *to, u8x64 v) { _mm_storeu_si128((__m128i *) to, _mm512_cvtepi32_epi8(v)); } // those between -128 and 127

inline u8x64 load_bytes(const void *from) { return _mm512_loadu_si512(from); }
// Keeps the compiler from reading again, where it is used again, what has just been read.
inline u8x64 in_registers(u8x64 v) { return v; }
inline void store_bytes(void *to, u8x64 v) { _mm512_storeu_si512(to, v); }
inline u8x64 broadcast_u8(uint8_t value) { return _mm512_set1_epi8((char) value); }
inline u8x64 broadcast_u32(uint32_t value) { return _mm512_set1_epi32((int) value); }
inline u8x64 shift_left_u16(u8x64 v, int n) { return _mm512_slli_epi16(v, n); }
inline u8x64 shift_right_u16(u8x64 v, int n) { return _mm512_srli_epi16(v, n); }
inline u8x64 shift_right_u32(u8x64 v, int n) { return _mm512_srli_epi32(v, n); }
inline u8x64 mul_u32(u8x64 a, u8x64 b) { return _mm512_mullo_epi32(a, b); }
inline u8x64 sub_u8(u8x64 a, u8x64 b) { return _mm512_sub_epi8(a, b); }
// Looks bytes up that are 0…15.
inline u8x64 lookup(const int8_t (&table)[16], u8x64 v) {
	return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *) table)), v);
}

// Transposes 16 × 16 floats: to[j][i] = from[i][j], rows lying so many floats apart.
inline void transpose(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
	__m512 r[16], t[16];
	for (int i = 0; i < 16; i++) {
		r[i] = _mm512_loadu_ps(from + i * from_stride);
	}
	for (int i = 0; i < 16; i += 2) {
		t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
	}
	for (int i = 0; i < 16; i += 4) {
		for (int j = 0; j < 2; j++) {
			__m512d a = _mm512_castps_pd(t[i + j]), b = _mm512_castps_pd(t[i + 2 + j]);
			r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
			r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
		}
	}
	for (int i = 0; i < 4; i++) { // r[i], r[4 + i], …: places i, 4 + i, 8 + i, 12 + i of rows 0…3, 4…7, …
		__m512 a = _mm512_shuffle_f32x4(r[i], r[4 + i], 0x88), b = _mm512_shuffle_f32x4(r[i], r[4 + i], 0xdd);
		__m512 c = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0x88), d = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0xdd);
		_mm512_storeu_ps(to + i * to_stride, _mm512_shuffle_f32x4(a, c, 0x88));
		_mm512_storeu_ps(to + (4 + i) * to_stride, _mm512_shuffle_f32x4(b, d, 0x88));
		_mm512_storeu_ps(to + (8 + i) * to_stride, _mm512_shuffle_f32x4(a, c, 0xdd));
		_mm512_storeu_ps(to + (12 + i) * to_stride, _mm512_shuffle_f32x4(b, d, 0xdd));
	}
}

} // namespace kernels::PROCTOR_LEVEL
