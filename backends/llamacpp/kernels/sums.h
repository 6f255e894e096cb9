// Sums of products, a vector of rows for each of some tiles and columns, on their way between registers and memory.
#pragma once

#include "level_contract.h"

namespace kernels::PROCTOR_LEVEL {

// Reads the sums of each column's tiles, or begins with 0. It is inlined first of all, so that sums stay in registers.
template <int tiles, int n>
[[gnu::always_inline]] inline void load_sums(f32x16 (&sum)[tiles][n], const float *const *columns, bool begin) {
#pragma GCC unroll 8
	for (int t = 0; t < tiles; t++) {
#pragma GCC unroll 8
		for (int c = 0; c < n; c++) {
			sum[t][c] = begin ? zeros() : load(columns[c] + t * tile_rows);
		}
	}
}

// Writes the sums of each column's tiles.
template <int tiles, int n> [[gnu::always_inline]] inline void store_sums(const f32x16 (&sum)[tiles][n], float *const *columns) {
#pragma GCC unroll 8
	for (int t = 0; t < tiles; t++) {
#pragma GCC unroll 8
		for (int c = 0; c < n; c++) {
			store(columns[c] + t * tile_rows, sum[t][c]);
		}
	}
}

} // namespace kernels::PROCTOR_LEVEL
