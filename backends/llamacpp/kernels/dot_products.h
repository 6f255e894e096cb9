// Sums of bytes' products that a level's dot_product adds up in registers, four values of each row at a time.
#pragma once

#include PROCTOR_VECTORS

#include PROCTOR_DOT_PRODUCT

#include "panels.h"

namespace kernels::PROCTOR_LEVEL {

constexpr int quant_columns = 4;
constexpr int quant_row_tiles = row_tiles;
constexpr int quant_decode_tiles = 1; // so that weights are read in one stream
constexpr int quant_packed_columns = packed_columns;
constexpr bool centred_bytes = false; // a format's zero is what a sum begins with

// What a sum of products begins with: the bits of 1.5 × 2^23. An integer less than 2^22 makes of them those of a float that is so
// much larger, which saves its conversion.
constexpr int32_t first_sum = 0x4b400000;
constexpr float first_float = 0x1.8p23f;

// What a thread holds while it multiplies with a format.
template <class format> struct product_state {};

// The sums of products of one group of a format's values: of so many tiles of weights, with n columns.
template <class kind, int tiles, int n> class group_products {
	using tile = typename kind::tile;
	using panel_block = typename kind::panel_block;
	using format = typename kind::format;
	static constexpr int steps = format::group / dot_values;
	dot_product<format> dot[tiles][n];

	static int32_t start(const panels<panel_block, n> &a, int g, int c) {
		return kind::zero ? a.of(c).start[g][a.place(c)] : first_sum;
	}

  public:
	void begin(const tile *, const panel_block *) {}

	// Goes on to a group: the i-th of the tiles, the g-th of a panel's block.
	void next(const tile *w, const panel_block *a, int i, int g, bool) {
		multiply([&](int t, int s) { return load_bytes(w[t].value[i * steps + s]); }, panels<panel_block, n>(a), g);
	}

	// Multiplies what a function returns for a tile and a step with the g-th group of panels' blocks. It is inlined before gcc looks
	// what may stay in registers.
	template <class weights_of>
	__attribute__((always_inline)) void multiply(weights_of of, const panels<panel_block, n> &a, int g) {
#pragma GCC unroll 8
		for (int t = 0; t < tiles; t++) {
#pragma GCC unroll 8
			for (int c = 0; c < n; c++) {
				dot[t][c].begin(start(a, g, c));
			}
		}
#pragma GCC unroll 8
		for (int s = 0; s < steps; s++) {
			u8x64 weights[tiles];
#pragma GCC unroll 8
			for (int t = 0; t < tiles; t++) {
				weights[t] = in_registers(of(t, s));
			}
#pragma GCC unroll 8
			for (int c = 0; c < n; c++) {
				int32_t bytes;
				memcpy(&bytes, a.of(c).qs[a.place(c)] + (g * steps + s) * dot_values, sizeof bytes);
#pragma GCC unroll 8
				for (int t = 0; t < tiles; t++) {
					dot[t][c].add(s, weights[t], bytes);
				}
			}
		}
	}

	// A group's sums of products with a column, times the column's scale.
	f32x16 scaled(const panels<panel_block, n> &a, int g, int t, int c) const {
		const panel_block &block = a.of(c);
		return fmadd(dot[t][c].floats(start(a, g, c)), broadcast(block.d[a.place(c)]), broadcast(block.first[a.place(c)]));
	}
};

} // namespace kernels::PROCTOR_LEVEL
