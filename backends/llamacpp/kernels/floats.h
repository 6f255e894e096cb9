// Products of weights that are floats, with activations as they are.
#pragma once

#include "ahead.h"
#include "formats.h"
#include "mul_mat_columns.h"
#include "panels.h"
#include "sums.h"

namespace kernels::PROCTOR_LEVEL {

struct block_f16x16 {
	ggml_half v[32][tile_rows];
};

// F16: IEEE's halves.
struct f16 {
	using block = ggml_half[32];
	static constexpr ggml_type type = GGML_TYPE_F16;
	static constexpr int size = 32;
	using packed = block_f16x16;
	static void pack(packed &to, const block &from, int row) { interleave<2>(to.v, from, sizeof from, row); }
	static f32x16 unpack(const ggml_half *v) { return load_f16(v); }
};

struct block_bf16x16 {
	uint16_t v[32][tile_rows];
};

// BF16: the upper halves of floats.
struct bf16 {
	using block = uint16_t[32];
	static constexpr ggml_type type = GGML_TYPE_BF16;
	static constexpr int size = 32;
	using packed = block_bf16x16;
	static void pack(packed &to, const block &from, int row) { interleave<2>(to.v, from, sizeof from, row); }
	static f32x16 unpack(const uint16_t *v) { return load_bf16(v); }
};

struct block_f32x16 {
	float v[32][tile_rows];
};

// F32: floats as they are, as the matrices that choose experts.
struct f32 {
	using block = float[32];
	static constexpr ggml_type type = GGML_TYPE_F32;
	static constexpr int size = 32;
	using packed = block_f32x16;
	static void pack(packed &to, const block &from, int row) { interleave<4>(to.v, from, sizeof from, row); }
	static f32x16 unpack(const float *v) { return load(v); }
};

// Activations of some columns, 32 values of each.
struct block_f32 {
	static constexpr int columns = float_columns, values = 32;
	float v[values][columns];
};

template <class format_> struct floats {
	using format = format_;
	using panel_block = block_f32;
	struct state {};

	static constexpr int row_tiles = PROCTOR_LEVEL::row_tiles;
	static constexpr int decode_tiles = float_decode_tiles;
	static constexpr int packed_columns = 1, packed_most = 1;
	static constexpr int chunk_values = 128; // of a row, unpacked at a time: decode_tiles stay in the L1 cache

	// Weights of a tile, unpacked.
	struct tile {
		float value[chunk_values][tile_rows];
	};

	// Takes the activations of columns, from a value on, to a panel's block.
	static void fill(panel_block &to, const column *columns, int64_t from) {
		for (int c = 0; c < panel_block::columns && columns[c].from != nullptr; c++) {
			for (int i = 0; i < panel_block::values; i++) {
				to.v[i][c] = columns[c].from[from + i];
			}
		}
	}

	// Unpacks a block to its place, at value i, of a tile.
	static void unpack(const typename format::packed &from, tile &to, int64_t i) {
		for (int j = 0; j < format::size; j++) {
			store(to.value[i + j], format::unpack(from.v[j]));
		}
	}

	// Adds the products of unpacked weights with the first n columns of so many blocks to out, or begins with 0.
	template <int tiles, int n>
	static void multiply(const tile *w, const panel_block *a, int blocks, float *const *out, bool begin, const ahead &next) {
		f32x16 sum[tiles][n];
		load_sums(sum, out, begin);
		for (int p = 0; p < blocks; p++, a++) {
			next.step<tiles>(p);
			for (int i = 0; i < panel_block::values; i++) {
				f32x16 weight[tiles];
#pragma GCC unroll 8
				for (int t = 0; t < tiles; t++) {
					weight[t] = load(w[t].value[p * panel_block::values + i]);
				}
#pragma GCC unroll 8
				for (int c = 0; c < n; c++) {
					f32x16 activation = broadcast(a->v[i][c]);
#pragma GCC unroll 8
					for (int t = 0; t < tiles; t++) {
						sum[t][c] = fmadd(weight[t], activation, sum[t][c]);
					}
				}
			}
		}
		store_sums(sum, out);
	}

	// Multiplies packed weights, so many blocks of each of some tiles that lie apart, with a single column.
	template <int tiles, int n>
	static void multiply_packed(const typename format::packed *w, int64_t apart, int64_t blocks, panels<panel_block, n>,
		const float *column, float *const *out) {
		static_assert(n == 1);
		f32x16 sum[tiles][n];
		load_sums(sum, out, true);
		for (int64_t b = 0; b < blocks; b++, w++, column += format::size) {
			for (int i = 0; i < format::size; i++) {
				if (i % 4 == 0) {
#pragma GCC unroll 8
					for (int t = 0; t < tiles; t++) {
						fetch_ahead<format::size / 4>(w + t * apart, i / 4);
					}
				}
				const f32x16 activation = broadcast(column[i]);
#pragma GCC unroll 8
				for (int t = 0; t < tiles; t++) {
					sum[t][0] = fmadd(format::unpack(w[t * apart].v[i]), activation, sum[t][0]);
				}
			}
		}
		store_sums(sum, out);
	}
};

} // namespace kernels::PROCTOR_LEVEL
