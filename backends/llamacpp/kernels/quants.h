// Products of quantised weights. The activations are rounded to 8 bits, 32 values of a column sharing a scale; the
// products of bytes are summed exactly, sums of 16 or 32 then scaled and added up as floats.
#pragma once

#include "ahead.h"
#include "k_quants.h"
#include "mul_mat_columns.h"
#include "reduce.h"
#include "sums.h"

namespace kernels::PROCTOR_LEVEL {

// Activations of some columns, 32 values of each, as ggml's block_q8_1 has those of one.
template <int groups> struct block_q8_1_panel {
	static constexpr int columns = quant_columns, values = 32;
	int8_t qs[columns][values];
	float d[columns];               // scale, of at most 22 binary digits
	float first[columns];           // -first_float × d, which is exact
	float s[groups][columns];       // sum of the values × d, by the weights' groups
	int32_t start[groups][columns]; // first_sum - zero × the sum of the values
};

template <class format_> struct quants {
	using format = format_;
	static constexpr int groups = 32 / format::group;             // of the weights, in a panel's block
	static constexpr int zero = centred_bytes ? 0 : format::zero; // of unpacked values
	using panel_block = block_q8_1_panel<groups>;
	using state = product_state<format>;

	static constexpr int row_tiles = quant_row_tiles;
	static constexpr int decode_tiles = quant_decode_tiles;
	static constexpr int packed_columns = quant_packed_columns; // multiplied together with weights as they are packed
	static constexpr int packed_most = packed_columns * packed_passes;
	static constexpr int chunk_values = 640; // of a row, unpacked at a time: two tiles stay in the L1 cache

	// Weights of a tile, unpacked.
	struct tile {
		uint8_t value[chunk_values / dot_values][tile_bytes];
		float scale[chunk_values / format::group][tile_rows];
		float offset[chunk_values / format::group][tile_rows];
	};

	// Rounds the activations of columns, from a value on, to a panel's block. Where one of them is no number, or so large that
	// products are none, the scale is none, and so is every product.
	static void fill(panel_block &to, const column *columns, int64_t from) {
		for (int c = 0; c < panel_block::columns && columns[c].from != nullptr; c += 4) {
			fill_four(to, c, columns + c, from);
		}
	}

	// Unpacks a block to its place, at value i, of a tile.
	static void unpack(const typename format::packed &from, tile &to, int64_t i) {
		uint8_t(*value)[tile_bytes] = to.value + i / dot_values;
		PROCTOR_LEVEL::unpack<format>(from, value, to.scale + i / format::group, to.offset + i / format::group);
		if constexpr (zero != format::zero) {
			for (int j = 0; j < format::size / dot_values; j++) {
				store_bytes(value[j], sub_u8(load_bytes(value[j]), broadcast_u8(format::zero)));
			}
		}
	}

	// Adds the products of unpacked weights with the first n columns of so many blocks to out, or begins with 0. Brings the weights
	// that come next.
	template <int tiles, int n>
	static void multiply(const tile *w, const panel_block *a, int blocks, float *const *out, bool begin, const ahead &next) {
		f32x16 sum[tiles][n];
		load_sums(sum, out, begin);
		group_products<quants, tiles, n> products;
		products.begin(w, a);
		for (int p = 0; p < blocks; p++, a++) {
			next.step<tiles>(p);
			for (int g = 0; g < groups; g++) {
				const int i = p * groups + g;
				products.next(w, a, i, g, i == blocks * groups - 1);
				auto scale = [&](int t) { return load(w[t].scale[i]); };
				auto offset = [&](int t) { return load(w[t].offset[i]); }; // of formats that have one
				add(products, panels<panel_block, n>(a), g, scale, offset, sum);
			}
		}
		store_sums(sum, out);
	}

	// Multiplies packed weights, so many blocks of each of some tiles that lie apart, with the first n columns of panels.
	template <int tiles, int n>
	static void multiply_packed(const typename format::packed *w, int64_t apart, int64_t blocks, panels<panel_block, n> a,
		const float *, float *const *out) {
		f32x16 sum[tiles][n];
		load_sums(sum, out, true);
		group_products<quants, tiles, n> products;
		for (int64_t b = 0; b < blocks; b++, w++) {
			std::array<typename format::scales, tiles> scales = scales_of(w, apart, std::make_integer_sequence<int, tiles>());
			constexpr int parts = format::size / format::part, part_groups = format::part / format::group;
			int end = parts;
			__asm__("" : "+r"(end)); // or gcc unrolls what comes, beyond what the CPU's cache of decoded instructions holds
			for (int j = 0; j < end; j++) {
#pragma GCC unroll 8
				for (int t = 0; t < tiles; t++) {
					fetch_ahead<parts>(w + t * apart, j);
				}
#pragma GCC unroll 8
				for (int i = 0; i < part_groups; i++) {
					constexpr int steps = format::group / dot_values;
					const int g = j * part_groups + i;
					products.multiply([&](int t, int s) { return values(w[t * apart], j, i * steps + s); }, a, i % groups);
					auto scale = [&](int t) { return scales[t].scale(g); };
					auto offset = [&](auto t) { return scales[t].offset(g); };
					add(products, a, i % groups, scale, offset, sum);
					a.advance(i % groups == groups - 1);
				}
			}
		}
		store_sums(sum, out);
	}

  private:
	// The power of 2 from which on an activation is too large: its scale, a 127th of it, times 1.5 × 2^23 (first_float) must be finite.
	static constexpr float too_large = 0x1p111f;

	// Rounds four columns, of which some may be lacking.
	static void fill_four(panel_block &to, int place, const column *columns, int64_t from) {
		f32x16 v[4][2];
		u8x64 largest[4];
		for (int c = 0; c < 4; c++) {
			for (int h = 0; h < 2; h++) {
				v[c][h] = columns[c].from == nullptr ? zeros() : load(columns[c].from + from + vector * h);
			}
			largest[c] = max_s32(bits(abs(v[c][0])), bits(abs(v[c][1]))); // floats of one sign are in the order of their bits
		}
		const __m128i amax_bits = reduce_four<largest_s32>(largest);
		const __m128 amax = _mm_castsi128_ps(amax_bits), most = _mm_set1_ps(most_activation), infinity = _mm_set1_ps(INFINITY);
		const __m128 numbers = _mm_cmplt_ps(amax, _mm_set1_ps(too_large)), inverse = _mm_div_ps(most, amax);
		const __m128i scale = _mm_add_epi32(_mm_castps_si128(_mm_div_ps(amax, most)), _mm_set1_epi32(2)); // to a multiple of 4
		const __m128 rounded_scale = _mm_castsi128_ps(_mm_and_si128(scale, _mm_set1_epi32(-4)));
		const __m128 d = _mm_blendv_ps(_mm_set1_ps(NAN), rounded_scale, numbers);
		float multiples[4]; // 0 for what is no number, or is 0, or hardly more
		_mm_storeu_ps(multiples, _mm_and_ps(inverse, _mm_and_ps(numbers, _mm_cmplt_ps(inverse, infinity))));
		u8x64 sums[groups][4];
		for (int c = 0; c < 4; c++) {
			const f32x16 multiple = broadcast(multiples[c]);
			const u8x64 rounded[2] = {round_s32(mul(v[c][0], multiple)), round_s32(mul(v[c][1], multiple))};
			for (int h = 0; h < 2; h++) {
				store_s8(to.qs[place + c] + vector * h, rounded[h]);
			}
			for (int g = 0; g < groups; g++) {
				sums[g][c] = groups == 1 ? add_s32(rounded[0], rounded[1]) : rounded[g];
			}
		}
		_mm_storeu_ps(to.d + place, d);
		_mm_storeu_ps(to.first + place, _mm_mul_ps(d, _mm_set1_ps(-first_float)));
		for (int g = 0; g < groups; g++) {
			const __m128i sum = reduce_four<sum_s32>(sums[g]);
			_mm_storeu_ps(to.s[g] + place, _mm_mul_ps(d, _mm_cvtepi32_ps(sum)));
			const __m128i start = _mm_sub_epi32(_mm_set1_epi32(first_sum), _mm_mullo_epi32(sum, _mm_set1_epi32(zero)));
			_mm_storeu_si128((__m128i *) (to.start[g] + place), start);
		}
	}

	// The scales of blocks of some tiles.
	template <int... t>
	static std::array<typename format::scales, sizeof...(t)> scales_of(
		const typename format::packed *w, int64_t apart, std::integer_sequence<int, t...>) {
		return {typename format::scales(w[t * apart])...};
	}

	// The i-th values of a block's part, as they are multiplied.
	__attribute__((always_inline)) static u8x64 values(const typename format::packed &from, int j, int i) {
		const u8x64 v = format::values(from, j, i);
		return zero == format::zero ? v : sub_u8(v, broadcast_u8(format::zero));
	}

	// Adds sums of a group's products, of so many tiles with n columns, to those of floats, by the scales and offsets of a tile.
	template <class products_of, class scale_of, class offset_of, int tiles, int n>
	__attribute__((always_inline)) static void add(const products_of &products, const panels<panel_block, n> &a, int g,
		scale_of scales, offset_of offsets, f32x16 (&sum)[tiles][n]) {
#pragma GCC unroll 8
		for (int t = 0; t < tiles; t++) {
			const f32x16 scale = scales(t);
#pragma GCC unroll 8
			for (int c = 0; c < n; c++) {
				sum[t][c] = fmadd(products.scaled(a, g, t, c), scale, sum[t][c]);
			}
		}
		if constexpr (format::offsets) {
#pragma GCC unroll 8
			for (int t = 0; t < tiles; t++) {
				const f32x16 offset = offsets(t);
#pragma GCC unroll 8
				for (int c = 0; c < n; c++) {
					sum[t][c] = fnmadd(offset, broadcast(a.of(c).s[g][a.place(c)]), sum[t][c]);
				}
			}
		}
	}
};

} // namespace kernels::PROCTOR_LEVEL
