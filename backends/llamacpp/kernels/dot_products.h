// Sums of bytes' products that a level's dot_product adds up in registers, four values of each row at a time.
#pragma once

namespace kernels::PROCTOR_LEVEL {

constexpr int quant_columns = 4;           // of activations in a panel, multiplied together with quantised weights
constexpr int quant_row_tiles = row_tiles; // of quantised weights, multiplied together
constexpr bool centred_bytes = false;      // a format's zero is what a sum begins with

// What a thread holds while it multiplies with a format.
template <class format> struct product_state {};

// The sums of products of one group of a format's values: of so many tiles of weights, with n columns.
template <class kind, int tiles, int n> class group_products {
	using tile = typename kind::tile;
	using panel_block = typename kind::panel_block;
	using format = typename kind::format;
	dot_product<format> dot[tiles][n];

  public:
	void begin(const tile *, const panel_block *) {}

	// Goes on to a group: the i-th of the tiles, the g-th of a panel's block.
	void next(const tile *w, const panel_block *a, int i, int g, bool) {
		constexpr int steps = format::group / dot_values;
#pragma GCC unroll 8
		for (int t = 0; t < tiles; t++) {
#pragma GCC unroll 8
			for (int c = 0; c < n; c++) {
				dot[t][c].begin(kind::zero ? a->start[g][c] : 0);
			}
		}
#pragma GCC unroll 8
		for (int s = 0; s < steps; s++) {
			u8x64 weights[tiles];
#pragma GCC unroll 8
			for (int t = 0; t < tiles; t++) {
				weights[t] = in_registers(load_bytes(w[t].value[i * steps + s]));
			}
#pragma GCC unroll 8
			for (int c = 0; c < n; c++) {
				int32_t bytes;
				memcpy(&bytes, a->qs[c] + (g * steps + s) * dot_values, sizeof bytes);
#pragma GCC unroll 8
				for (int t = 0; t < tiles; t++) {
					dot[t][c].add(s, weights[t], bytes);
				}
			}
		}
	}

	f32x16 sums(const panel_block *a, int g, int t, int c) const { return dot[t][c].sums(kind::zero ? a->start[g][c] : 0); }
};

} // namespace kernels::PROCTOR_LEVEL
