// Weights that are unpacked next, brought into the L2 cache while others are multiplied. The CPU itself does not look beyond a
// page of memory, and where all of it is asked for at a time, it waits.
#pragma once

namespace kernels::PROCTOR_LEVEL {

struct ahead {
	const char *from = nullptr; // of the first tile
	size_t apart = 0;           // bytes from a tile to the next
	size_t bytes = 0;           // of each tile
	int steps = 1;              // in which they are brought

	// Brings a step's share of so many tiles.
	template <int tiles> void step(int i) const {
		constexpr size_t line = cache_line;
		for (size_t at = bytes * i / steps / line * line; at < bytes * (i + 1) / steps / line * line; at += line) {
#pragma GCC unroll 8
			for (int t = 0; t < tiles; t++) {
				_mm_prefetch(from + t * apart + at, _MM_HINT_T1);
			}
		}
	}
};

// Brings the part-th of so many parts of what lies distance bytes beyond a block that is multiplied as it is packed, as it takes
// memory that long to answer.
template <int parts, class packed> inline void fetch_ahead(const packed *block, int part) {
	constexpr int distance = 3072, size = sizeof *block / parts;
#pragma GCC unroll 64
	for (int at = 0; at < size; at += cache_line) {
		_mm_prefetch((const char *) block + distance + part * size + at, _MM_HINT_T0);
	}
}

} // namespace kernels::PROCTOR_LEVEL
