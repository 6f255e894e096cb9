// Products of weights that are floats of 16 bits, with activations as they are.
#pragma once

#include "avx512_formats.h"

namespace kernels {

// F16: IEEE's halves.
struct f16 {
	using block = ggml_half[32];
	static constexpr ggml_type type = GGML_TYPE_F16;
	static constexpr int size = 32;
	struct packed {
		ggml_half v[size][lanes];
	};
	static void pack(packed &to, const block &from, int row) { spread<2>(to.v, from, sizeof from, row); }
	static __m512 unpack(const ggml_half *v) { return halves(v); }
};

// BF16: the upper halves of floats.
struct bf16 {
	using block = uint16_t[32];
	static constexpr ggml_type type = GGML_TYPE_BF16;
	static constexpr int size = 32;
	struct packed {
		uint16_t v[size][lanes];
	};
	static void pack(packed &to, const block &from, int row) { spread<2>(to.v, from, sizeof from, row); }
	static __m512 unpack(const uint16_t *v) {
		return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *) v)), 16));
	}
};

template <class format_> struct floats {
	using format = format_;

	static constexpr int width = 8;   // columns of a panel
	static constexpr int part = 32;   // values of a column in a panel
	static constexpr int many = 4;    // tiles that are multiplied with a single column: its sums have to wait for each other
	static constexpr int chunk = 128; // values of a row that are unpacked at a time: four tiles stay in the L1 cache

	// Activations of some columns.
	struct panel {
		float value[part][width];
	};

	// Weights of sixteen rows, unpacked.
	struct scratch {
		float value[chunk][lanes];
	};

	// Takes 32 activations, as a column of a panel.
	static void fill(panel &to, int column, const float *from) {
		for (int i = 0; i < part; i++) {
			to.value[i][column] = from[i];
		}
	}

	// Unpacks a block to its place, at value i, of the scratch.
	static void unpack(const typename format::packed &from, scratch &to, int64_t i) {
		for (int j = 0; j < format::size; j++) {
			_mm512_storeu_ps(to.value[i + j], format::unpack(from.v[j]));
		}
	}

	// Adds the products of unpacked weights with the first n columns of a row of panels to out, or begins with 0.
	template <int tiles, int n> static void multiply(const scratch *w, const panel *a, int parts, float *const *out, bool begin) {
		__m512 sum[tiles][n];
		for (int t = 0; t < tiles; t++) {
			for (int c = 0; c < n; c++) {
				sum[t][c] = begin ? _mm512_setzero_ps() : _mm512_loadu_ps(out[c] + t * lanes);
			}
		}
		for (int p = 0; p < parts; p++, a++) {
			for (int i = 0; i < part; i++) {
				__m512 weight[tiles];
				for (int t = 0; t < tiles; t++) {
					weight[t] = _mm512_loadu_ps(w[t].value[p * part + i]);
				}
				for (int c = 0; c < n; c++) {
					__m512 one = _mm512_set1_ps(a->value[i][c]);
					for (int t = 0; t < tiles; t++) {
						sum[t][c] = _mm512_fmadd_ps(weight[t], one, sum[t][c]);
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
