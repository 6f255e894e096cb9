// Products of prompts' tokens on CPUs with AMX-BF16: weights and activations are rounded to bf16, and a tile instruction adds up
// 32 products of sixteen rows with sixteen columns, in floats. A column's sums do not depend on the columns beside it: the
// products of each 32 values are added up by themselves, those at even places and those at odd ones, and then to the sum of
// those before (kernelstest/tile_model.h has it in C++).
//
// F16 and F32 are left to the level that computes all else: bf16 has 8 of F16's 11 digits.
//
// https://www.intel.com/content/www/us/en/developer/articles/technical/intel-sdm.html, volume 1, chapter 18.
#pragma once

#include "mul_mat_of.h"

namespace kernels::PROCTOR_LEVEL {
namespace {

// Rounds a float's bits to the nearest bf16, of two as near to the even one. What is no number stays none.
inline uint32_t to_bf16(uint32_t bits) {
	constexpr uint32_t below_half = 0x7fff, without_sign = 0x7fffffff, infinity = 0x7f800000, quiet = 0x40; // quiet: of a bf16
	const uint32_t rounded = (bits + below_half + (bits >> 16 & 1)) >> 16;
	return (bits & without_sign) > infinity ? bits >> 16 | quiet : rounded;
}

// Activations of some columns, 32 values of each: two tiles.
struct block_bf16_panel {
	static constexpr int columns = 32, values = 32;
	uint16_t v[columns][values];
};

// What is the same for all formats.
struct bf16_products {
	using panel_block = block_bf16_panel;
	static constexpr int row_tiles = 2, decode_tiles = 2;
	static constexpr int tile_columns = 16;
	static constexpr int packed_columns = 0, packed_most = 0;
	static constexpr int chunk_values = 256; // of a row, unpacked at a time: two tiles stay in the L1 cache

	// Weights of a tile, two values of each row side by side.
	struct tile {
		uint16_t value[chunk_values / 2][tile_rows][2];

		// Takes the values i and i + 1 of the rows.
		void put(int64_t i, f32x16 even, f32x16 odd) {
			uint32_t bits[2][tile_rows], pairs[tile_rows];
			store((float *) bits[0], even);
			store((float *) bits[1], odd);
			for (int row = 0; row < tile_rows; row++) {
				pairs[row] = to_bf16(bits[0][row]) | to_bf16(bits[1][row]) << 16;
			}
			memcpy(value[i / 2], pairs, sizeof pairs);
		}
	};

	// The registers: sums of a tile of weights with sixteen columns and with sixteen more (0, 1), those of another tile (2, 3),
	// activations (4, 5), weights (6, 7). All are 16 × 64 bytes.
	struct state {
		state() {
			alignas(64) static constexpr tile_shapes shapes = {
				1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
			_tile_loadconfig(&shapes);
		}
		~state() { _tile_release(); }
	};

	static void fill(panel_block &to, const column *columns, int64_t from) {
		for (int c = 0; c < panel_block::columns && columns[c].from != nullptr; c++) {
			uint32_t bits[panel_block::values];
			memcpy(bits, columns[c].from + from, sizeof bits);
			for (int i = 0; i < panel_block::values; i++) {
				to.v[c][i] = (uint16_t) to_bf16(bits[i]);
			}
		}
	}

	// Adds the products of unpacked weights with the first n columns of so many blocks to out, or begins with 0. Brings the weights
	// that come next.
	template <int tiles, int n>
	static void multiply(const tile *w, const panel_block *a, int blocks, float *const *out, bool begin, const ahead &next) {
		multiply_halves<tiles, (n > tile_columns)>(w, a, blocks, out, n, begin, next);
	}

  private:
	template <int tiles, bool both>
	static void multiply_halves(
		const tile *w, const panel_block *a, int blocks, float *const *out, int n, bool begin, const ahead &next) {
		alignas(64) float sums[tiles][panel_block::columns][tile_rows];
		for (int t = 0; t < tiles; t++) {
			for (int c = 0; c < panel_block::columns; c++) {
				if (begin || c >= n) {
					memset(sums[t][c], 0, sizeof sums[t][c]);
				} else {
					memcpy(sums[t][c], out[c] + t * tile_rows, sizeof sums[t][c]);
				}
			}
		}
#define EACH_SUM(move) \
	move(0, sums[0], tile_bytes); \
	if constexpr (both) { \
		move(1, sums[0][tile_columns], tile_bytes); \
	} \
	if constexpr (tiles == 2) { \
		move(2, sums[1], tile_bytes); \
	} \
	if constexpr (tiles == 2 && both) { \
		move(3, sums[1][tile_columns], tile_bytes); \
	}
		before_tile_loads();
		EACH_SUM(_tile_loadd)
		for (int p = 0; p < blocks; p++) {
			next.step<tiles>(p);
			_tile_loadd(4, a[p].v, tile_bytes);
			_tile_loadd(6, w[0].value[p * panel_block::values / 2], tile_bytes);
			_tile_dpbf16ps(0, 4, 6);
			if constexpr (both) {
				_tile_loadd(5, a[p].v[tile_columns], tile_bytes);
				_tile_dpbf16ps(1, 5, 6);
			}
			if constexpr (tiles == 2) {
				_tile_loadd(7, w[1].value[p * panel_block::values / 2], tile_bytes);
				_tile_dpbf16ps(2, 4, 7);
			}
			if constexpr (tiles == 2 && both) {
				_tile_dpbf16ps(3, 5, 7);
			}
		}
		EACH_SUM(_tile_stored)
#undef EACH_SUM
		for (int t = 0; t < tiles; t++) {
			for (int c = 0; c < n; c++) {
				memcpy(out[c] + t * tile_rows, sums[t][c], sizeof sums[t][c]);
			}
		}
	}
};

template <class format_> struct bf16_quants : bf16_products {
	using format = format_;

	// Unpacks a block to its place, at value i, of a tile.
	static void unpack(const typename format::packed &from, tile &to, int64_t i) {
		uint8_t value[format::size / dot_values][tile_bytes];
		float scale[format::size / format::group][tile_rows], offset[format::size / format::group][tile_rows];
		PROCTOR_LEVEL::unpack<format>(from, value, scale, offset);
		for (int j = 0; j < format::size; j += dot_values) {
			const int group = j / format::group;
			f32x16 weight[dot_values];
			for (int k = 0; k < dot_values; k++) {
				int32_t centred[tile_rows];
				for (int row = 0; row < tile_rows; row++) {
					centred[row] = (int8_t) (value[j / dot_values][row * dot_values + k] - format::zero);
				}
				if constexpr (format::offsets) {
					weight[k] = fmadd(load(scale[group]), load_s32(centred), sub(zeros(), load(offset[group])));
				} else {
					weight[k] = mul(load(scale[group]), load_s32(centred));
				}
			}
			to.put(i + j, weight[0], weight[1]);
			to.put(i + j + 2, weight[2], weight[3]);
		}
	}
};

struct bf16_weights : bf16_products {
	using format = bf16;

	static void unpack(const format::packed &from, tile &to, int64_t i) {
		for (int j = 0; j < format::size; j += 2) {
			to.put(i + j, format::unpack(from.v[j]), format::unpack(from.v[j + 1]));
		}
	}
};

} // namespace

const mul_mat *mul_mat_for(const ggml_tensor *weights) { return by_type<bf16_quants, void, void, bf16_weights>(weights); }

} // namespace kernels::PROCTOR_LEVEL
