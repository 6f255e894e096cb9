// What a token sees of a chunk of the cache.
#pragma once

#include "level_contract.h"

namespace kernels::PROCTOR_LEVEL {

constexpr int block_vectors = flash_attn_op::block_cells / vector;

// Says whether all halves of a mask are this one. It looks at all of them, as vectors do.
inline bool all_are(const ggml_fp16_t *first, const ggml_fp16_t *end, ggml_fp16_t half) {
	return std::accumulate(first, end, 0, [=](int others, ggml_fp16_t one) { return others | (one ^ half); }) == 0;
}

// What a token sees of a block of cells.
struct block_view {
	int64_t place; // of its first cell in the chunk
	bool whole;    // it sees all of them, and none with a bias
	f32x16 bias[block_vectors];
	mask cells[block_vectors];

	// hidden is the mask of the block's first cell, or nullptr; count is how many there are.
	void set(int64_t at, const ggml_fp16_t *hidden, int64_t count) {
		constexpr int64_t all = flash_attn_op::block_cells;
		place = at;
		whole = count >= all && (hidden == nullptr || all_are(hidden, hidden + all, 0));
		for (int j = 0; j < block_vectors && !whole; j++) {
			cells[j] = first_lanes(count - j * vector);
			bias[j] = zeros();
			if (hidden != nullptr) {
				bias[j] = load_first_f16(hidden + j * vector, count - j * vector);
				cells[j] = both(cells[j], not_equal(bias[j], broadcast(-INFINITY)));
			}
		}
	}

	// Says whether all scores are numbers that it sees.
	bool all_finite(const f32x16 (&scores)[block_vectors]) const {
		if (!any(non_finite(add(add(scores[0], scores[1]), add(scores[2], scores[3]))))) {
			return true;
		}
		for (int j = 0; j < block_vectors; j++) {
			const mask not_finite = non_finite(scores[j]);
			if (any(whole ? not_finite : both(cells[j], not_finite))) {
				return false;
			}
		}
		return true;
	}
};

// What a token sees of a chunk: blocks of it.
struct chunk_view {
	block_view blocks[flash_attn_op::chunk_blocks];
	int64_t count = 0;

	void add(int64_t place, const ggml_fp16_t *hidden, int64_t cells) { blocks[count++].set(place, hidden, cells); }
	bool whole() const {
		return std::all_of(begin(), end(), [](const block_view &b) { return b.whole; });
	}
	const block_view *begin() const { return blocks; }
	const block_view *end() const { return blocks + count; }
};

} // namespace kernels::PROCTOR_LEVEL
