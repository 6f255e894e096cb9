// What a level defines. Everything that is written once for all levels is made of this, and includes it.
//
// A level's file (avx2.cpp) defines PROCTOR_LEVEL, the namespace; PROCTOR_VECTORS, the header of its vectors; and
// PROCTOR_PRODUCTS, that of its sums of bytes' products. It includes level_headers.h, and then sets the compiler's target. The
// functions below are declared once more so that a level that lacks one, or has another, does not link. All levels' functions
// return the same bits.
#pragma once

#include PROCTOR_VECTORS

#include PROCTOR_PRODUCTS

namespace kernels::PROCTOR_LEVEL {

// PROCTOR_VECTORS has the types f32x16 (sixteen floats), u8x64 (64 bytes, or sixteen integers in the same registers) and mask
// (some of sixteen places); the functions below; and these counts of what stays in registers and caches.
static_assert(row_tiles > 0, "tiles of weights that are multiplied together");
static_assert(float_columns > 0, "columns of activations that are multiplied together with floats");
static_assert(float_decode_tiles > 0, "tiles of floats that are multiplied with a single column: its sums wait for each other");
static_assert(packed_columns > 0, "columns that are multiplied together with quantised weights as they are packed");
static_assert(packed_passes > 0, "passes of packed_columns at most: beyond, weights are unpacked to memory once");
static_assert(gemm_rows > 0, "rows of attention's products that are computed together");
static_assert(gemm_vectors > 0, "vectors of columns of attention's products that are computed together");
static_assert(few_tile > 0, "rows that read the cache as it lies and are computed together");
static_assert(few_sums >= few_tile, "sums of these rows that are computed together");
static_assert(l2_panel_bytes > 0, "bytes of panels that stay in the L2 cache beside the weights");

f32x16 zeros();
f32x16 broadcast(float value);
f32x16 load(const float *from);
f32x16 in_registers(f32x16 v); // keeps the compiler from reading v from memory again where it is used again
void store(float *to, f32x16 v);
f32x16 add(f32x16 a, f32x16 b);
f32x16 sub(f32x16 a, f32x16 b);
f32x16 mul(f32x16 a, f32x16 b);
f32x16 div(f32x16 a, f32x16 b);
f32x16 min(f32x16 a, f32x16 b);
f32x16 max(f32x16 a, f32x16 b);
f32x16 abs(f32x16 v);
f32x16 with_sign_of(f32x16 size, f32x16 v);
f32x16 fmadd(f32x16 a, f32x16 b, f32x16 c);          // a × b + c, rounded once
f32x16 fnmadd(f32x16 a, f32x16 b, f32x16 c);         // c - a × b, rounded once
template <int distance> f32x16 swap_lanes(f32x16 v); // exchanges places i and i ^ distance, which is 1, 2, 4 or 8
__m256 low_half(f32x16 v);
__m256 high_half(f32x16 v);

// Conversions to floats; load_first_f16 reads the first count halves and nothing beyond them, other places are 0.
f32x16 f16_to_f32(__m256i v);
f32x16 load_f16(const ggml_half *from);
f32x16 load_first_f16(const ggml_half *from, int64_t count);
f32x16 load_bf16(const uint16_t *from);
f32x16 s8_to_f32(__m128i v);
f32x16 load_s32(const int32_t *from);

// Returns v × 2^n for integers n; no product is too large or too small for a normal float.
f32x16 scale_by_power_of_2(f32x16 v, f32x16 n);

mask first_lanes(int64_t count);
mask both(mask a, mask b);
bool any(mask m);
mask non_finite(f32x16 v);
mask not_equal(f32x16 a, f32x16 b); // or one of them is no number
mask above(f32x16 a, f32x16 b);     // or one of them is no number
f32x16 select(mask m, f32x16 yes, f32x16 no);

// Reads or writes the first count floats and nothing beyond them; other places that it reads are 0.
f32x16 load_first(const float *from, int64_t count);
void store_first(float *to, f32x16 v, int64_t count);

u8x64 bits(f32x16 v);
u8x64 round_s32(f32x16 v);
u8x64 max_s32(u8x64 a, u8x64 b);
u8x64 add_s32(u8x64 a, u8x64 b);
__m256i low_half(u8x64 v);
__m256i high_half(u8x64 v);
void store_s8(int8_t *to, u8x64 v); // sixteen integers between -128 and 127

u8x64 load_bytes(const void *from);
u8x64 in_registers(u8x64 v);
void store_bytes(void *to, u8x64 v);
u8x64 broadcast_u8(uint8_t value);
u8x64 broadcast_u32(uint32_t value);
u8x64 shift_left_u16(u8x64 v, int n);
u8x64 shift_right_u16(u8x64 v, int n);
u8x64 shift_right_u32(u8x64 v, int n);
u8x64 mul_u32(u8x64 a, u8x64 b);
u8x64 sub_u8(u8x64 a, u8x64 b);
u8x64 lookup(const int8_t (&table)[16], u8x64 v); // of bytes that are 0…15

// Transposes 16 × 16 floats: to[j][i] = from[i][j]. Rows lie stride floats apart.
void transpose(const float *from, int64_t from_stride, float *to, int64_t to_stride);

// PROCTOR_PRODUCTS has group_products, the sums of one group of a format's values; product_state, what a thread holds while it
// multiplies with a format; and these.
static_assert(quant_columns > 0, "columns of activations in a panel, multiplied together with quantised weights");
static_assert(quant_row_tiles > 0, "tiles of quantised weights that are multiplied together");
static_assert(quant_decode_tiles > 0, "tiles of quantised weights that are multiplied with a single column");
static_assert(quant_packed_columns >= 0, "packed_columns, or 0: sums pass through memory, and so may weights");
static_assert(std::is_same_v<decltype(signed_bytes), const bool>, "weights of 8 bits are multiplied with their signs");
static_assert(std::is_same_v<decltype(centred_bytes), const bool>, "a format's zero is subtracted when its values are unpacked");
static_assert(std::is_same_v<decltype(first_sum), const int32_t>, "what a sum of products begins with");
static_assert(std::is_same_v<decltype(first_float), const float>, "what first_sum is once a sum is taken for a float");

} // namespace kernels::PROCTOR_LEVEL
