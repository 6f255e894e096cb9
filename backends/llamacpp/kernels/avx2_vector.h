// The vectors of level_contract.h, which says what each function is, on CPUs that have AVX2: two registers each.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// For 16 registers, and a L2 cache of 256 KiB or more.
constexpr int row_tiles = 1;
constexpr int float_columns = 6;
constexpr int float_decode_tiles = 2;
constexpr int packed_columns = 2;
constexpr int packed_passes = 1;
constexpr int gemm_rows = 6;
constexpr int gemm_vectors = 1;
constexpr int few_tile = 4;
constexpr int few_sums = 4;
constexpr size_t l2_panel_bytes = 192 << 10;

struct f32x16 {
	__m256 low, high;
};

inline __m256 low_half(f32x16 v) { return v.low; }
inline __m256 high_half(f32x16 v) { return v.high; }
inline f32x16 zeros() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
inline f32x16 broadcast(float value) { return {_mm256_set1_ps(value), _mm256_set1_ps(value)}; }
inline f32x16 load(const float *from) { return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}; }
inline f32x16 in_registers(f32x16 v) {
	__asm__("" : "+x"(v.low), "+x"(v.high));
	return v;
}
inline void store(float *to, f32x16 v) {
	_mm256_storeu_ps(to, v.low);
	_mm256_storeu_ps(to + 8, v.high);
}
inline f32x16 add(f32x16 a, f32x16 b) { return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)}; }
inline f32x16 sub(f32x16 a, f32x16 b) { return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)}; }
inline f32x16 mul(f32x16 a, f32x16 b) { return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)}; }
inline f32x16 div(f32x16 a, f32x16 b) { return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)}; }
inline f32x16 min(f32x16 a, f32x16 b) { return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)}; }
inline f32x16 max(f32x16 a, f32x16 b) { return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)}; }
inline f32x16 fmadd(f32x16 a, f32x16 b, f32x16 c) {
	return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
inline f32x16 fnmadd(f32x16 a, f32x16 b, f32x16 c) {
	return {_mm256_fnmadd_ps(a.low, b.low, c.low), _mm256_fnmadd_ps(a.high, b.high, c.high)};
}
template <int distance> __m256 swap_lanes(__m256 v) {
	constexpr int order = distance == 1 ? _MM_SHUFFLE(2, 3, 0, 1) : _MM_SHUFFLE(1, 0, 3, 2);
	return distance < 4 ? _mm256_permute_ps(v, order) : _mm256_permute2f128_ps(v, v, 1);
}
template <int distance> f32x16 swap_lanes(f32x16 v) {
	if (distance == 8) {
		return {v.high, v.low};
	}
	return {swap_lanes<distance>(v.low), swap_lanes<distance>(v.high)};
}
inline __m256 abs(__m256 v) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v); }
inline f32x16 abs(f32x16 v) { return {abs(v.low), abs(v.high)}; }
inline __m256 with_sign_of(__m256 size, __m256 v) { return _mm256_or_ps(size, _mm256_and_ps(_mm256_set1_ps(-0.0f), v)); }
inline f32x16 with_sign_of(f32x16 size, f32x16 v) { return {with_sign_of(size.low, v.low), with_sign_of(size.high, v.high)}; }

inline __m256 f16_to_f32(const ggml_half *from) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) from)); }
inline f32x16 f16_to_f32(__m256i v) {
	return {_mm256_cvtph_ps(_mm256_castsi256_si128(v)), _mm256_cvtph_ps(_mm256_extracti128_si256(v, 1))};
}
inline f32x16 load_f16(const ggml_half *from) { return {f16_to_f32(from), f16_to_f32(from + 8)}; }
inline __m256 bf16_to_f32(const uint16_t *from) {
	return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *) from)), 16));
}
inline f32x16 load_bf16(const uint16_t *from) { return {bf16_to_f32(from), bf16_to_f32(from + 8)}; }
inline f32x16 s8_to_f32(__m128i v) {
	return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(v)), _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(v, 8)))};
}
inline __m256 s32_to_f32(const int32_t *from) { return _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *) from)); }
inline f32x16 load_s32(const int32_t *from) { return {s32_to_f32(from), s32_to_f32(from + 8)}; }

inline __m256 scale_by_power_of_2(__m256 v, __m256 n) {
	constexpr int exponent_place = 23; // of the lowest of its bits
	const __m256i exponents = _mm256_slli_epi32(_mm256_cvtps_epi32(n), exponent_place);
	return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(v), exponents));
}
inline f32x16 scale_by_power_of_2(f32x16 v, f32x16 n) {
	return {scale_by_power_of_2(v.low, n.low), scale_by_power_of_2(v.high, n.high)};
}

// All bits of a place are set, or none.
struct mask {
	__m256 low, high;
};

inline mask first_lanes(int64_t count) {
	const __m256i n = _mm256_set1_epi32((int) std::clamp<int64_t>(count, 0, vector));
	auto before = [&](__m256i place) { return _mm256_castsi256_ps(_mm256_cmpgt_epi32(n, place)); };
	return {before(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), before(_mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15))};
}
inline mask both(mask a, mask b) { return {_mm256_and_ps(a.low, b.low), _mm256_and_ps(a.high, b.high)}; }
inline bool any(mask m) { return _mm256_movemask_ps(_mm256_or_ps(m.low, m.high)) != 0; }
inline mask non_finite(f32x16 v) {
	const __m256 infinity = _mm256_set1_ps(INFINITY);
	const f32x16 size = abs(v);
	return {_mm256_cmp_ps(size.low, infinity, _CMP_NLT_UQ), _mm256_cmp_ps(size.high, infinity, _CMP_NLT_UQ)};
}
inline mask not_equal(f32x16 a, f32x16 b) {
	return {_mm256_cmp_ps(a.low, b.low, _CMP_NEQ_UQ), _mm256_cmp_ps(a.high, b.high, _CMP_NEQ_UQ)};
}
inline mask above(f32x16 a, f32x16 b) {
	return {_mm256_cmp_ps(a.low, b.low, _CMP_NLE_UQ), _mm256_cmp_ps(a.high, b.high, _CMP_NLE_UQ)};
}
inline f32x16 select(mask m, f32x16 yes, f32x16 no) {
	return {_mm256_blendv_ps(no.low, yes.low, m.low), _mm256_blendv_ps(no.high, yes.high, m.high)};
}

inline __m256i bits(__m256 v) { return _mm256_castps_si256(v); }
inline f32x16 load_first(const float *from, int64_t count) {
	if (count >= vector) {
		return load(from);
	}
	const mask m = first_lanes(count);
	return {_mm256_maskload_ps(from, bits(m.low)), _mm256_maskload_ps(from + 8, bits(m.high))};
}
inline void store_first(float *to, f32x16 v, int64_t count) {
	if (count >= vector) {
		store(to, v);
		return;
	}
	const mask m = first_lanes(count);
	_mm256_maskstore_ps(to, bits(m.low), v.low);
	_mm256_maskstore_ps(to + 8, bits(m.high), v.high);
}

inline f32x16 load_first_f16(const ggml_half *from, int64_t count) {
	if (count >= vector) {
		return load_f16(from);
	}
	ggml_half halves[vector] = {};
	memcpy(halves, from, std::clamp<int64_t>(count, 0, vector) * sizeof *halves);
	return load_f16(halves);
}

struct u8x64 {
	__m256i low, high;
};

inline __m256i low_half(u8x64 v) { return v.low; }
inline __m256i high_half(u8x64 v) { return v.high; }
inline u8x64 bits(f32x16 v) { return {_mm256_castps_si256(v.low), _mm256_castps_si256(v.high)}; }
inline u8x64 round_s32(f32x16 v) { return {_mm256_cvtps_epi32(v.low), _mm256_cvtps_epi32(v.high)}; }
inline u8x64 max_s32(u8x64 a, u8x64 b) { return {_mm256_max_epi32(a.low, b.low), _mm256_max_epi32(a.high, b.high)}; }
inline u8x64 add_s32(u8x64 a, u8x64 b) { return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)}; }
inline void store_s8(int8_t *to, u8x64 v) {
	const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(v.low, v.high), _MM_SHUFFLE(3, 1, 2, 0));
	_mm_storeu_si128((__m128i *) to, _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

inline u8x64 load_bytes(const void *from) {
	return {_mm256_loadu_si256((const __m256i *) from), _mm256_loadu_si256((const __m256i *) from + 1)};
}
inline u8x64 in_registers(u8x64 v) {
	__asm__("" : "+x"(v.low), "+x"(v.high));
	return v;
}
inline void store_bytes(void *to, u8x64 v) {
	_mm256_storeu_si256((__m256i *) to, v.low);
	_mm256_storeu_si256((__m256i *) to + 1, v.high);
}
inline u8x64 operator&(u8x64 a, u8x64 b) { return {a.low & b.low, a.high & b.high}; }
inline u8x64 operator|(u8x64 a, u8x64 b) { return {a.low | b.low, a.high | b.high}; }
inline u8x64 operator^(u8x64 a, u8x64 b) { return {a.low ^ b.low, a.high ^ b.high}; }
inline u8x64 broadcast_u8(uint8_t value) { return {_mm256_set1_epi8((char) value), _mm256_set1_epi8((char) value)}; }
inline u8x64 broadcast_u32(uint32_t value) { return {_mm256_set1_epi32((int) value), _mm256_set1_epi32((int) value)}; }
inline u8x64 shift_left_u16(u8x64 v, int n) { return {_mm256_slli_epi16(v.low, n), _mm256_slli_epi16(v.high, n)}; }
inline u8x64 shift_right_u16(u8x64 v, int n) { return {_mm256_srli_epi16(v.low, n), _mm256_srli_epi16(v.high, n)}; }
inline u8x64 shift_right_u32(u8x64 v, int n) { return {_mm256_srli_epi32(v.low, n), _mm256_srli_epi32(v.high, n)}; }
inline u8x64 mul_u32(u8x64 a, u8x64 b) { return {_mm256_mullo_epi32(a.low, b.low), _mm256_mullo_epi32(a.high, b.high)}; }
inline u8x64 sub_u8(u8x64 a, u8x64 b) { return {_mm256_sub_epi8(a.low, b.low), _mm256_sub_epi8(a.high, b.high)}; }
inline u8x64 lookup(const int8_t (&table)[16], u8x64 v) {
	const __m256i t = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) table));
	return {_mm256_shuffle_epi8(t, v.low), _mm256_shuffle_epi8(t, v.high)};
}

inline __m256 load_halves(const float *low, const float *high) {
	return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

// Transposes 8 × 8 floats.
inline void transpose_8(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
	constexpr int lower = _MM_SHUFFLE(1, 0, 1, 0), upper = _MM_SHUFFLE(3, 2, 3, 2); // halves of both vectors
	__m256 r[8], t[8];
	for (int i = 0; i < 4; i++) { // rows i and 4 + i, by halves
		const float *a = from + i * from_stride, *b = from + (4 + i) * from_stride;
		r[i] = load_halves(a, b);
		r[4 + i] = load_halves(a + 4, b + 4);
	}
	for (int i = 0; i < 8; i += 2) {
		t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
		t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
	}
	for (int i = 0; i < 8; i += 4) {
		_mm256_storeu_ps(to + i * to_stride, _mm256_shuffle_ps(t[i], t[i + 2], lower));
		_mm256_storeu_ps(to + (i + 1) * to_stride, _mm256_shuffle_ps(t[i], t[i + 2], upper));
		_mm256_storeu_ps(to + (i + 2) * to_stride, _mm256_shuffle_ps(t[i + 1], t[i + 3], lower));
		_mm256_storeu_ps(to + (i + 3) * to_stride, _mm256_shuffle_ps(t[i + 1], t[i + 3], upper));
	}
}

inline void transpose(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
	for (int i = 0; i < vector; i += 8) {
		for (int j = 0; j < vector; j += 8) {
			transpose_8(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
		}
	}
}

} // namespace kernels::PROCTOR_LEVEL
