// Columns of activations that are multiplied together, a few in each panel.
#pragma once

namespace kernels::PROCTOR_LEVEL {

// A block of each of as many panels as n columns fill.
template <class block, int n> class panels {
	static constexpr int count = (n + block::columns - 1) / block::columns;
	const block *each[count];

  public:
	// The panels lie so many blocks apart.
	explicit panels(const block *first, int64_t apart = 0) {
		for (int p = 0; p < count; p++) {
			each[p] = first + p * apart;
		}
	}
	const block &of(int column) const { return *each[column / block::columns]; }
	static constexpr int place(int column) { return column % block::columns; }
	void advance(int64_t blocks) {
#pragma GCC unroll 8
		for (int p = 0; p < count; p++) {
			each[p] += blocks;
		}
	}
};

} // namespace kernels::PROCTOR_LEVEL
