// The vectors of level_contract.h, which says what each function is, on CPUs that have AVX-512 with VNNI: one register each.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// For 32 registers, and a L2 cache of 1 MiB or more.
constexpr int row_tiles = 2;
constexpr int float_columns = 8;
constexpr int float_decode_tiles = 4;
constexpr int packed_columns = 8;
constexpr int packed_passes = 2;
constexpr int gemm_rows = 4;
constexpr int gemm_vectors = 4;
constexpr int few_tile = 4;
constexpr int few_sums = 16;
constexpr size_t l2_panel_bytes = 1 << 20;

using f32x16 = __m512;
using u8x64 = __m512i;

inline f32x16 zeros() { return _mm512_setzero_ps(); }
inline f32x16 broadcast(float value) { return _mm512_set1_ps(value); }
inline f32x16 load(const float *from) { return _mm512_loadu_ps(from); }
inline f32x16 in_registers(f32x16 v) {
	__asm__("" : "+v"(v));
	return v;
}
inline void store(float *to, f32x16 v) { _mm512_storeu_ps(to, v); }
inline f32x16 add(f32x16 a, f32x16 b) { return _mm512_add_ps(a, b); }
inline f32x16 sub(f32x16 a, f32x16 b) { return _mm512_sub_ps(a, b); }
inline f32x16 mul(f32x16 a, f32x16 b) { return _mm512_mul_ps(a, b); }
inline f32x16 div(f32x16 a, f32x16 b) { return _mm512_div_ps(a, b); }
inline f32x16 min(f32x16 a, f32x16 b) { return _mm512_min_ps(a, b); }
inline f32x16 max(f32x16 a, f32x16 b) { return _mm512_max_ps(a, b); }
inline f32x16 abs(f32x16 v) { return _mm512_abs_ps(v); }
inline f32x16 with_sign_of(f32x16 size, f32x16 v) { return _mm512_or_ps(size, _mm512_and_ps(_mm512_set1_ps(-0.0f), v)); }
inline f32x16 fmadd(f32x16 a, f32x16 b, f32x16 c) { return _mm512_fmadd_ps(a, b, c); }
inline f32x16 fnmadd(f32x16 a, f32x16 b, f32x16 c) { return _mm512_fnmadd_ps(a, b, c); }
template <int distance> f32x16 swap_lanes(f32x16 v) {
	constexpr int pairs = _MM_SHUFFLE(2, 3, 0, 1), halves = _MM_SHUFFLE(1, 0, 3, 2), order = distance & 5 ? pairs : halves;
	return distance < 4 ? _mm512_permute_ps(v, order) : _mm512_shuffle_f32x4(v, v, order);
}
inline __m256 low_half(f32x16 v) { return _mm512_castps512_ps256(v); }
inline __m256 high_half(f32x16 v) { return _mm512_extractf32x8_ps(v, 1); }

inline f32x16 f16_to_f32(__m256i v) { return _mm512_cvtph_ps(v); }
inline f32x16 load_f16(const ggml_half *from) { return f16_to_f32(_mm256_loadu_si256((const __m256i *) from)); }
inline f32x16 load_bf16(const uint16_t *from) {
	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *) from)), 16));
}
inline f32x16 s8_to_f32(__m128i v) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(v)); }
inline f32x16 load_s32(const int32_t *from) { return _mm512_cvtepi32_ps(_mm512_loadu_si512(from)); }

inline f32x16 scale_by_power_of_2(f32x16 v, f32x16 n) { return _mm512_scalef_ps(v, n); }

using mask = __mmask16;

inline mask first_lanes(int64_t count) { return (mask) ((1u << std::clamp<int64_t>(count, 0, vector)) - 1); }
inline mask both(mask a, mask b) { return a & b; }
inline bool any(mask m) { return m != 0; }
inline mask non_finite(f32x16 v) {
	constexpr int quiet_nan = 0x01, infinity = 0x08, minus_infinity = 0x10, signalling_nan = 0x80; // VFPCLASSPS's classes
	return _mm512_fpclass_ps_mask(v, quiet_nan | infinity | minus_infinity | signalling_nan);
}
inline mask not_equal(f32x16 a, f32x16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
inline mask above(f32x16 a, f32x16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_NLE_UQ); }
inline f32x16 select(mask m, f32x16 yes, f32x16 no) { return _mm512_mask_blend_ps(m, no, yes); }

inline f32x16 load_first(const float *from, int64_t count) {
	return count >= vector ? load(from) : _mm512_maskz_loadu_ps(first_lanes(count), from);
}
inline void store_first(float *to, f32x16 v, int64_t count) {
	if (count >= vector) {
		store(to, v);
	} else {
		_mm512_mask_storeu_ps(to, first_lanes(count), v);
	}
}

inline f32x16 load_first_f16(const ggml_half *from, int64_t count) {
	return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(count), from));
}

inline u8x64 bits(f32x16 v) { return _mm512_castps_si512(v); }
inline u8x64 round_s32(f32x16 v) { return _mm512_cvtps_epi32(v); }
inline u8x64 max_s32(u8x64 a, u8x64 b) { return _mm512_max_epi32(a, b); }
inline u8x64 add_s32(u8x64 a, u8x64 b) { return _mm512_add_epi32(a, b); }
inline __m256i low_half(u8x64 v) { return _mm512_castsi512_si256(v); }
inline __m256i high_half(u8x64 v) { return _mm512_extracti64x4_epi64(v, 1); }
inline void store_s8(int8_t *to, u8x64 v) { _mm_storeu_si128((__m128i *) to, _mm512_cvtepi32_epi8(v)); }

inline u8x64 load_bytes(const void *from) { return _mm512_loadu_si512(from); }
inline u8x64 in_registers(u8x64 v) {
	__asm__("" : "+v"(v));
	return v;
}
inline void store_bytes(void *to, u8x64 v) { _mm512_storeu_si512(to, v); }
inline u8x64 broadcast_u8(uint8_t value) { return _mm512_set1_epi8((char) value); }
inline u8x64 broadcast_u32(uint32_t value) { return _mm512_set1_epi32((int) value); }
inline u8x64 shift_left_u16(u8x64 v, int n) { return _mm512_slli_epi16(v, n); }
inline u8x64 shift_right_u16(u8x64 v, int n) { return _mm512_srli_epi16(v, n); }
inline u8x64 shift_right_u32(u8x64 v, int n) { return _mm512_srli_epi32(v, n); }
inline u8x64 mul_u32(u8x64 a, u8x64 b) { return _mm512_mullo_epi32(a, b); }
inline u8x64 sub_u8(u8x64 a, u8x64 b) { return _mm512_sub_epi8(a, b); }
inline u8x64 lookup(const int8_t (&table)[16], u8x64 v) {
	return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *) table)), v);
}

inline void transpose(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
	constexpr int even = _MM_SHUFFLE(2, 0, 2, 0), odd = _MM_SHUFFLE(3, 1, 3, 1); // quarters of both vectors
	__m512 r[vector], t[vector];
	for (int i = 0; i < vector; i++) {
		r[i] = _mm512_loadu_ps(from + i * from_stride);
	}
	for (int i = 0; i < vector; i += 2) {
		t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
	}
	for (int i = 0; i < vector; i += 4) {
		for (int j = 0; j < 2; j++) {
			__m512d a = _mm512_castps_pd(t[i + j]), b = _mm512_castps_pd(t[i + 2 + j]);
			r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
			r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
		}
	}
	for (int i = 0; i < 4; i++) { // r[i], r[4 + i], …: places i, 4 + i, 8 + i, 12 + i of rows 0…3, 4…7, …
		__m512 a = _mm512_shuffle_f32x4(r[i], r[4 + i], even), b = _mm512_shuffle_f32x4(r[i], r[4 + i], odd);
		__m512 c = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], even), d = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], odd);
		_mm512_storeu_ps(to + i * to_stride, _mm512_shuffle_f32x4(a, c, even));
		_mm512_storeu_ps(to + (4 + i) * to_stride, _mm512_shuffle_f32x4(b, d, even));
		_mm512_storeu_ps(to + (8 + i) * to_stride, _mm512_shuffle_f32x4(a, c, odd));
		_mm512_storeu_ps(to + (12 + i) * to_stride, _mm512_shuffle_f32x4(b, d, odd));
	}
}

} // namespace kernels::PROCTOR_LEVEL
