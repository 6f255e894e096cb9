// Products of quantised weights. The activations are rounded to 8 bits, 32 values of a column sharing a scale; the
// products of bytes are summed exactly, sums of 16 or 32 then scaled and added up as floats.
#pragma once

#include "k_quants.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// Activations of four columns, 32 values of each, as ggml's block_q8_1 has those of one.
template <int groups> struct block_q8_1x4 {
	static constexpr int columns = 4, values = 32;
	int8_t qs[values / dot_values][columns][dot_values];
	float d[columns];               // scale
	float s[groups][columns];       // sum of the values × d, by the weights' groups
	int32_t start[groups][columns]; // -zero × the sum of the values
};

template <class format_> struct quants {
	using format = format_;
	static constexpr int groups = 32 / format::group; // of the weights, in a panel's block
	using panel_block = block_q8_1x4<groups>;

	static constexpr int decode_tiles = 2;   // multiplied with a single column
	static constexpr int chunk_values = 512; // of a row, unpacked at a time: two tiles stay in the L1 cache

	// Weights of a tile, unpacked.
	struct tile {
		uint8_t value[chunk_values / dot_values][tile_bytes];
		float scale[chunk_values / format::group][tile_rows];
		float offset[chunk_values / format::group][tile_rows];
	};

	// Rounds the activations of a column of a panel's block. Where one of them is no number, the scale is none, and so is
	// every product.
	static void fill(panel_block &to, int column, const float *from) {
		const f32x16 v[2] = {load(from), load(from + 16)};
		const float amax = reduce_max(max(abs(v[0]), abs(v[1])));
		const bool numbers = !any(non_finite(v[0])) && !any(non_finite(v[1]));
		const float d = numbers ? amax / 127 : NAN, inverse = 127 / amax;
		const bool rounds = numbers && std::isfinite(inverse); // not what is 0, or hardly more
		int32_t sums[2];
		for (int h = 0; h < 2; h++) {
			int8_t value[16];
			sums[h] = round_s8(rounds ? mul(v[h], broadcast(inverse)) : zeros(), value);
			for (int i = 0; i < 16; i += dot_values) {
				memcpy(to.qs[(16 * h + i) / dot_values][column], value + i, dot_values);
			}
		}
		to.d[column] = d;
		for (int g = 0; g < groups; g++) {
			const int32_t sum = groups == 1 ? sums[0] + sums[1] : sums[g];
			to.s[g][column] = d * (float) sum;
			to.start[g][column] = -format::zero * sum;
		}
	}

	// Unpacks a block to its place, at value i, of a tile.
	static void unpack(const typename format::packed &from, tile &to, int64_t i) {
		format::unpack(from, {to.value + i / dot_values, to.scale + i / format::group, to.offset + i / format::group});
	}

	// Adds the products of unpacked weights with the first n columns of so many blocks to out, or begins with 0.
	template <int tiles, int n> static void multiply(const tile *w, const panel_block *a, int blocks, float *const *out, bool begin) {
		constexpr int steps = format::group / dot_values;
		f32x16 sum[tiles][n];
#pragma GCC unroll 8
		for (int t = 0; t < tiles; t++) {
#pragma GCC unroll 8
			for (int c = 0; c < n; c++) {
				sum[t][c] = begin ? zeros() : load(out[c] + t * tile_rows);
			}
		}
		for (int p = 0; p < blocks; p++, a++) {
			for (int g = 0; g < groups; g++) {
				dot_product<format> dot[tiles][n];
#pragma GCC unroll 8
				for (int t = 0; t < tiles; t++) {
#pragma GCC unroll 8
					for (int c = 0; c < n; c++) {
						dot[t][c].begin(format::zero ? a->start[g][c] : 0);
					}
				}
#pragma GCC unroll 8
				for (int s = 0; s < steps; s++) {
					u8x64 weights[tiles];
#pragma GCC unroll 8
					for (int t = 0; t < tiles; t++) {
						weights[t] = in_registers(load_bytes(w[t].value[(p * groups + g) * steps + s]));
					}
#pragma GCC unroll 8
					for (int c = 0; c < n; c++) {
						int32_t bytes;
						memcpy(&bytes, a->qs[g * steps + s][c], sizeof bytes);
#pragma GCC unroll 8
						for (int t = 0; t < tiles; t++) {
							dot[t][c].add(s, weights[t], bytes);
						}
					}
				}
#pragma GCC unroll 8
				for (int t = 0; t < tiles; t++) {
					const f32x16 scale = load(w[t].scale[p * groups + g]);
#pragma GCC unroll 8
					for (int c = 0; c < n; c++) {
						const f32x16 scaled = mul(dot[t][c].sums(format::zero ? a->start[g][c] : 0), broadcast(a->d[c]));
						sum[t][c] = fmadd(scaled, scale, sum[t][c]);
					}
				}
				if (format::offsets) {
#pragma GCC unroll 8
					for (int t = 0; t < tiles; t++) {
						f32x16 offset = load(w[t].offset[p * groups + g]);
#pragma GCC unroll 8
						for (int c = 0; c < n; c++) {
							sum[t][c] = fnmadd(offset, broadcast(a->s[g][c]), sum[t][c]);
						}
					}
				}
			}
		}
#pragma GCC unroll 8
		for (int t = 0; t < tiles; t++) {
#pragma GCC unroll 8
			for (int c = 0; c < n; c++) {
				store(out[c] + t * tile_rows, sum[t][c]);
			}
		}
	}
};

} // namespace kernels::PROCTOR_LEVEL
