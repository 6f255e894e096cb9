// The tile instructions of level amx, written down after Intel's manual: with them their arithmetic runs on a CPU
// that has no AMX. What the instructions refuse, these refuse.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tile_model {

struct tile_register {
	int rows = 0, row_bytes = 0; // 0: not configured
	uint8_t bytes[16][64];
};

inline thread_local tile_register registers[8];

inline tile_register &at(int i) {
	if (registers[i].rows == 0 || registers[i].row_bytes == 0) {
		fprintf(stderr, "tile_model: tile register %d is used and has no shape\n", i);
		abort();
	}
	return registers[i];
}

inline void release() {
	for (tile_register &r : registers) {
		r = {};
	}
}

inline void loadconfig(const void *from) {
	const auto *bytes = (const uint8_t *) from;
	release();
	for (int i = 0; i < 8; i++) {
		uint16_t row_bytes;
		memcpy(&row_bytes, bytes + 16 + 2 * i, sizeof row_bytes);
		if (bytes[0] != 1 || row_bytes > 64 || bytes[48 + i] > 16) {
			fprintf(stderr, "tile_model: palette %d, tile register %d of %d × %d bytes\n", bytes[0], i, bytes[48 + i], row_bytes);
			abort();
		}
		registers[i].row_bytes = row_bytes;
		registers[i].rows = bytes[48 + i];
	}
}

inline void zero(int i) { memset(at(i).bytes, 0, sizeof registers[i].bytes); }

inline void loadd(int i, const void *from, int64_t stride) {
	zero(i);
	for (int row = 0; row < registers[i].rows; row++) {
		memcpy(registers[i].bytes[row], (const uint8_t *) from + row * stride, registers[i].row_bytes);
	}
}

inline void stored(int i, void *to, int64_t stride) {
	const tile_register &r = at(i);
	for (int row = 0; row < r.rows; row++) {
		memcpy((uint8_t *) to + row * stride, r.bytes[row], r.row_bytes);
	}
}

// Aborts where two tiles cannot be multiplied, or not into the third.
inline void check_shapes(const tile_register &sums, const tile_register &left, const tile_register &right) {
	if (sums.rows != left.rows || sums.row_bytes != right.row_bytes || left.row_bytes != 4 * right.rows) {
		fprintf(stderr, "tile_model: %d × %d bytes += %d × %d × %d × %d\n", sums.rows, sums.row_bytes, left.rows, left.row_bytes,
			right.rows, right.row_bytes);
		abort();
	}
}

// Adds the products of two tiles' signed bytes, by fours, to a tile of integers.
inline void dpbssd(int sums, int left, int right) {
	tile_register &s = at(sums);
	const tile_register &a = at(left), &b = at(right);
	check_shapes(s, a, b);
	for (int m = 0; m < s.rows; m++) {
		for (int n = 0; n < s.row_bytes; n += 4) {
			int32_t sum;
			memcpy(&sum, s.bytes[m] + n, sizeof sum);
			for (int k = 0; k < a.row_bytes; k++) {
				sum += (int8_t) a.bytes[m][k] * (int8_t) b.bytes[k / 4][n + k % 4];
			}
			memcpy(s.bytes[m] + n, &sum, sizeof sum);
		}
	}
}

} // namespace tile_model

#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbssd
#define _tile_loadconfig tile_model::loadconfig
#define _tile_release tile_model::release
#define _tile_loadd tile_model::loadd
#define _tile_stored tile_model::stored
#define _tile_zero tile_model::zero
#define _tile_dpbssd tile_model::dpbssd
