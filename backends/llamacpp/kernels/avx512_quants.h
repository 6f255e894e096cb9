// Products of quantised weights. The activations are rounded to 8 bits, 32 values of a column sharing a scale; the
// products of bytes are summed exactly, sums of 16 or 32 then scaled and added up as floats.
#pragma once

#include <cmath>

#include "avx512_formats.h"

namespace kernels::avx512 {

// Activations of four columns, 32 values of each, as ggml's block_q8_1 has those of one.
struct block_q8_1x4 {
	static constexpr int columns = 4, values = 32;
	int8_t qs[values / dot_values][columns][dot_values];
	float d[columns];          // scale
	float s[columns];          // sum of the values × d
	int32_t start[2][columns]; // -zero × the sum of the values, by the weights' groups
};

template <class format_> struct quants {
	using format = format_;
	using panel_block = block_q8_1x4;

	static constexpr int decode_tiles = 2;   // multiplied with a single column
	static constexpr int chunk_values = 512; // of a row, unpacked at a time: two tiles stay in the L1 cache

	// Weights of a tile, unpacked.
	struct tile {
		uint8_t value[chunk_values / dot_values][tile_bytes];
		float scale[chunk_values / format::group][tile_rows];
		float offset[chunk_values / panel_block::values][tile_rows];
	};

	// Rounds the activations of a column of a panel's block. Where one of them is no number, the scale is none, and so is
	// every product.
	static void fill(panel_block &to, int column, const float *from) {
		__m512 a = _mm512_loadu_ps(from), b = _mm512_loadu_ps(from + 16);
		float amax = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
		const bool numbers = (non_finite(a) | non_finite(b)) == 0;
		const float d = numbers ? amax / 127 : NAN, inverse = 127 / amax;
		const __mmask16 rounds = numbers && std::isfinite(inverse) ? 0xffff : 0; // not what is 0, or hardly more
		__m512i rounded[2] = {
			_mm512_cvtps_epi32(_mm512_maskz_mul_ps(rounds, a, _mm512_set1_ps(inverse))),
			_mm512_cvtps_epi32(_mm512_maskz_mul_ps(rounds, b, _mm512_set1_ps(inverse))),
		};
		int32_t sums[2];
		for (int h = 0; h < 2; h++) {
			int8_t value[16];
			_mm_storeu_si128((__m128i *) value, _mm512_cvtepi32_epi8(rounded[h]));
			for (int i = 0; i < 16; i += dot_values) {
				memcpy(to.qs[(16 * h + i) / dot_values][column], value + i, dot_values);
			}
			sums[h] = _mm512_reduce_add_epi32(rounded[h]);
		}
		to.d[column] = d;
		to.s[column] = d * (float) (sums[0] + sums[1]);
		to.start[0][column] = -format::zero * (format::group == 16 ? sums[0] : sums[0] + sums[1]);
		to.start[1][column] = -format::zero * sums[1];
	}

	// Unpacks a block to its place, at value i, of a tile.
	static void unpack(const typename format::packed &from, tile &to, int64_t i) {
		format::unpack(from, {to.value + i / dot_values, to.scale + i / format::group, to.offset + i / panel_block::values});
	}

	// Adds the products of unpacked weights with the first n columns of so many blocks to out, or begins with 0.
	template <int tiles, int n> static void multiply(const tile *w, const panel_block *a, int blocks, float *const *out, bool begin) {
		constexpr int groups = panel_block::values / format::group, steps = format::group / dot_values;
		__m512 sum[tiles][n];
		for (int t = 0; t < tiles; t++) {
			for (int c = 0; c < n; c++) {
				sum[t][c] = begin ? _mm512_setzero_ps() : _mm512_loadu_ps(out[c] + t * tile_rows);
			}
		}
		for (int p = 0; p < blocks; p++, a++) {
			for (int g = 0; g < groups; g++) {
				__m512i dot[tiles][n];
				for (int t = 0; t < tiles; t++) {
					for (int c = 0; c < n; c++) {
						dot[t][c] = format::zero ? _mm512_set1_epi32(a->start[g][c]) : _mm512_setzero_si512();
					}
				}
				for (int s = 0; s < steps; s++) {
					for (int c = 0; c < n; c++) {
						int32_t bytes;
						memcpy(&bytes, a->qs[g * steps + s][c], sizeof bytes);
						for (int t = 0; t < tiles; t++) {
							__m512i weight = _mm512_loadu_si512(w[t].value[(p * groups + g) * steps + s]);
							dot[t][c] = _mm512_dpbusd_epi32(dot[t][c], weight, _mm512_set1_epi32(bytes));
						}
					}
				}
				for (int t = 0; t < tiles; t++) {
					__m512 scale = _mm512_loadu_ps(w[t].scale[p * groups + g]);
					for (int c = 0; c < n; c++) {
						__m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(dot[t][c]), _mm512_set1_ps(a->d[c]));
						sum[t][c] = _mm512_fmadd_ps(scaled, scale, sum[t][c]);
					}
				}
			}
			if (!format::zero) {
				for (int t = 0; t < tiles; t++) {
					__m512 offset = _mm512_loadu_ps(w[t].offset[p]);
					for (int c = 0; c < n; c++) {
						sum[t][c] = _mm512_fnmadd_ps(offset, _mm512_set1_ps(a->s[c]), sum[t][c]);
					}
				}
			}
		}
		for (int t = 0; t < tiles; t++) {
			for (int c = 0; c < n; c++) {
				_mm512_storeu_ps(out[c] + t * tile_rows, sum[t][c]);
			}
		}
	}
};

} // namespace kernels::avx512
