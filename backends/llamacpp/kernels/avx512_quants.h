// Products of quantised weights. The activations are rounded to 8 bits, 32 values of a column sharing a scale; the
// products of bytes are summed exactly, sums of 16 or 32 then scaled and added up as floats.
#pragma once

#include "avx512_formats.h"

namespace kernels {

template <class format_> struct quants {
	using format = format_;

	static constexpr int width = 4;   // columns of a panel
	static constexpr int part = 32;   // values of a column in a panel
	static constexpr int many = 2;    // tiles that are multiplied with a single column
	static constexpr int chunk = 512; // values of a row that are unpacked at a time: two tiles stay in the L1 cache

	// Activations of some columns, rounded.
	struct panel {
		int8_t value[part / quad][width][quad];
		float scale[width];
		float offset[width];     // sum of the values × scale
		int32_t start[2][width]; // -zero × the sum of the values, by the weights' groups
	};

	// Weights of sixteen rows, unpacked.
	struct scratch {
		uint8_t value[chunk / quad][quad * lanes];
		float scale[chunk / format::group][lanes];
		float offset[chunk / part][lanes];
	};

	// Rounds 32 activations, as a column of a panel.
	static void fill(panel &to, int column, const float *from) {
		__m512 a = _mm512_loadu_ps(from), b = _mm512_loadu_ps(from + 16);
		float most = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
		float inverse = most > 0 ? 127 / most : 0;
		__m512i rounded[2] = {
			_mm512_cvtps_epi32(_mm512_mul_ps(a, _mm512_set1_ps(inverse))),
			_mm512_cvtps_epi32(_mm512_mul_ps(b, _mm512_set1_ps(inverse))),
		};
		int32_t sums[2];
		for (int h = 0; h < 2; h++) {
			int8_t value[16];
			_mm_storeu_si128((__m128i *) value, _mm512_cvtepi32_epi8(rounded[h]));
			for (int i = 0; i < 16; i += quad) {
				memcpy(to.value[(16 * h + i) / quad][column], value + i, quad);
			}
			sums[h] = _mm512_reduce_add_epi32(rounded[h]);
		}
		to.scale[column] = most / 127;
		to.offset[column] = most / 127 * (float) (sums[0] + sums[1]);
		to.start[0][column] = -format::zero * (format::group == 16 ? sums[0] : sums[0] + sums[1]);
		to.start[1][column] = -format::zero * sums[1];
	}

	// Unpacks a block to its place, at value i, of the scratch.
	static void unpack(const typename format::packed &from, scratch &to, int64_t i) {
		format::unpack(from, {to.value + i / quad, to.scale + i / format::group, to.offset + i / part});
	}

	// Adds the products of unpacked weights with the first n columns of a row of panels to out, or begins with 0.
	template <int tiles, int n> static void multiply(const scratch *w, const panel *a, int parts, float *const *out, bool begin) {
		constexpr int groups = part / format::group, steps = format::group / quad;
		__m512 sum[tiles][n];
		for (int t = 0; t < tiles; t++) {
			for (int c = 0; c < n; c++) {
				sum[t][c] = begin ? _mm512_setzero_ps() : _mm512_loadu_ps(out[c] + t * lanes);
			}
		}
		for (int p = 0; p < parts; p++, a++) {
			for (int g = 0; g < groups; g++) {
				__m512i dot[tiles][n];
				for (int t = 0; t < tiles; t++) {
					for (int c = 0; c < n; c++) {
						dot[t][c] = format::zero ? _mm512_set1_epi32(a->start[g][c]) : _mm512_setzero_si512();
					}
				}
				for (int s = 0; s < steps; s++) {
					for (int c = 0; c < n; c++) {
						int32_t four;
						memcpy(&four, a->value[g * steps + s][c], sizeof four);
						for (int t = 0; t < tiles; t++) {
							__m512i weight = _mm512_loadu_si512(w[t].value[(p * groups + g) * steps + s]);
							dot[t][c] = _mm512_dpbusd_epi32(dot[t][c], weight, _mm512_set1_epi32(four));
						}
					}
				}
				for (int t = 0; t < tiles; t++) {
					__m512 scale = _mm512_loadu_ps(w[t].scale[p * groups + g]);
					for (int c = 0; c < n; c++) {
						__m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(dot[t][c]), _mm512_set1_ps(a->scale[c]));
						sum[t][c] = _mm512_fmadd_ps(scaled, scale, sum[t][c]);
					}
				}
			}
			if (!format::zero) {
				for (int t = 0; t < tiles; t++) {
					__m512 offset = _mm512_loadu_ps(w[t].offset[p]);
					for (int c = 0; c < n; c++) {
						sum[t][c] = _mm512_fnmadd_ps(offset, _mm512_set1_ps(a->offset[c]), sum[t][c]);
					}
				}
			}
		}
		for (int t = 0; t < tiles; t++) {
			for (int c = 0; c < n; c++) {
				_mm512_storeu_ps(out[c] + t * lanes, sum[t][c]);
			}
		}
	}
};

} // namespace kernels
