// Sums of bytes' products on CPUs with AMX. A tile instruction has them of a whole group of a format's values, of sixteen rows
// of weights with eight columns of activations. Its registers can only be read through memory, so the sums of the next group
// are computed while those of this one are scaled.
//
// https://www.intel.com/content/www/us/en/developer/articles/technical/intel-sdm.html, volume 1, chapter 18.
#pragma once

#include PROCTOR_VECTORS

#include "panels.h"

namespace kernels::PROCTOR_LEVEL {

constexpr int quant_columns = 8;
constexpr int quant_row_tiles = 2;
constexpr int quant_decode_tiles = 2;
constexpr int quant_packed_columns = 0; // sums pass through memory, and so may weights
constexpr bool signed_bytes = true;
constexpr int32_t first_sum = 0;
constexpr float first_float = 0;
constexpr bool centred_bytes = true; // a format's zero is subtracted when its values are unpacked, as bytes may have signs

// The shapes of the tile registers, as LDTILECFG takes them.
struct tile_shapes {
	uint8_t palette = 1, start_row = 0, reserved[14] = {};
	uint16_t row_bytes[16];
	uint8_t rows[16];
};

// Has the compiler write to memory all that comes before it. gcc's tile loads do not say that they read memory, so gcc may write
// there after them.
inline void before_tile_loads() { __asm__ volatile("" ::: "memory"); }

// The registers: sums of two tiles of weights with eight columns (0, 1) and with one (2, 3), activations of eight columns (4) and
// of one (5), weights of two tiles (6, 7).
template <class format> struct product_state {
	product_state() {
		constexpr uint16_t row = tile_bytes, group = format::group;
		constexpr uint8_t steps = format::group / dot_values;
		alignas(64) static constexpr tile_shapes shapes = {
			1, 0, {}, {row, row, row, row, group, group, row, row}, {8, 8, 1, 1, 8, 1, steps, steps}};
		_tile_loadconfig(&shapes);
	}
	~product_state() { _tile_release(); }
};

template <class kind, int tiles, int n> class group_products {
	static_assert(tiles <= 2 && n <= quant_columns);
	using tile = typename kind::tile;
	using panel_block = typename kind::panel_block;
	using format = typename kind::format;
	static constexpr int groups = kind::groups;
	static constexpr int sum_columns = n == 1 ? 1 : quant_columns;
	alignas(64) int32_t sums_of[2][tiles][sum_columns][tile_rows]; // of this group and the next
	int now = 1;

	// Has the sums of a group computed.
	void start(const tile *w, const panel_block *a, int i, int g, int32_t (*to)[sum_columns][tile_rows]) {
		constexpr int steps = format::group / dot_values;
		const int8_t *activations = a->qs[0] + g * format::group;
#define SUM(sums, activations, weights, t) \
	_tile_loadd(weights, w[t].value[i * steps], tile_bytes); \
	_tile_zero(sums); \
	_tile_dpbssd(sums, activations, weights); \
	_tile_stored(sums, to[t], tile_bytes)
		if constexpr (n == 1) {
			_tile_loadd(5, activations, sizeof a->qs[0]);
			SUM(2, 5, 6, 0);
			if constexpr (tiles == 2) {
				SUM(3, 5, 7, 1);
			}
		} else {
			_tile_loadd(4, activations, sizeof a->qs[0]);
			SUM(0, 4, 6, 0);
			if constexpr (tiles == 2) {
				SUM(1, 4, 7, 1);
			}
		}
#undef SUM
	}

  public:
	// Weights and activations are written before it, and do not change until the last group.
	void begin(const tile *w, const panel_block *a) {
		before_tile_loads();
		start(w, a, 0, 0, sums_of[0]);
	}

	void next(const tile *w, const panel_block *a, int i, int g, bool last) {
		now ^= 1;
		if (!last) {
			start(w, a + (g + 1) / groups, i + 1, (g + 1) % groups, sums_of[now ^ 1]);
		}
	}

	f32x16 scaled(const panels<panel_block, n> &a, int, int t, int c) const {
		return mul(load_s32(sums_of[now][t][c]), broadcast(a.of(c).d[a.place(c)]));
	}
};

} // namespace kernels::PROCTOR_LEVEL
