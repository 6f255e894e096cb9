// Scores of a chunk of the cache, which become weights.
#pragma once

#include "reduce.h"
#include "softmax_sums.h"

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

// Makes weights of a row's scores, and writes its peak and its total, but nothing of its sum. Where a score that it sees is no
// number, its total is none, and so is its result.
inline void weigh(const chunk_view &view, float cap, float slope, float *scores, const softmax_sums &to, int64_t row) {
	f32x16 highest = broadcast(-INFINITY);
	bool finite = true;
	for (const block_view &block : view) {
		f32x16 v[block_vectors];
		for (int j = 0; j < block_vectors; j++) {
			v[j] = load(scores + block.place + j * vector);
		}
		finite = finite && block.all_finite(v);
		for (int j = 0; j < block_vectors; j++) {
			if (cap != 0) {
				v[j] = mul(broadcast(cap), tanh(v[j]));
			}
			if (!block.whole) {
				v[j] = select(block.cells[j], fmadd(broadcast(slope), block.bias[j], v[j]), broadcast(-INFINITY));
			}
			highest = max(highest, v[j]);
			if (cap != 0 || !block.whole) {
				store(scores + block.place + j * vector, v[j]);
			}
		}
	}
	const float peak = reduce_max(highest);
	if (!finite || peak == -INFINITY) { // it has seen nothing that has a weight
		for (const block_view &block : view) {
			memset(scores + block.place, 0, flash_attn_op::block_cells * sizeof(float));
		}
		to.peak[row] = -INFINITY;
		to.total[row] = finite ? 0 : NAN;
		return;
	}
	f32x16 total[block_vectors];
	std::fill_n(total, block_vectors, zeros());
	for (const block_view &block : view) {
		for (int j = 0; j < block_vectors; j++) {
			float *at = scores + block.place + j * vector;
			const f32x16 weights = weights_of(sub(load(at), broadcast(peak)));
			total[j] = add(total[j], weights);
			store(at, weights);
		}
	}
	to.peak[row] = peak;
	to.total[row] = reduce_add(add(add(total[0], total[1]), add(total[2], total[3])));
}

} // namespace kernels::PROCTOR_LEVEL
