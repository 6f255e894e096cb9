// A GGML_OP_FLASH_ATTN_EXT, and how it is cut into parts that threads compute.
#pragma once

#include <cstdint>

#include "attached.h"
#include "ggml.h"
#include "sizes.h"

namespace kernels {

template <class T> const T *tensor_at(const ggml_tensor *t, int64_t i1, int64_t i2, int64_t i3) {
	return (const T *) ((const char *) t->data + i1 * t->nb[1] + i2 * t->nb[2] + i3 * t->nb[3]);
}

// What the operation asks for. Queries of some tokens, of some streams, of all heads that share keys are computed together.
struct flash_attn_op {
	static constexpr int block_cells = 64;  // of the cache, computed at a time
	static constexpr int chunk_cells = 256; // of the cache, summed up on their own
	static constexpr int chunk_blocks = chunk_cells / block_cells;
	static constexpr int max_queries = 128;              // computed together
	static constexpr int64_t max_chunk_bytes = 16 << 20; // of what all queries have of all chunks
	static constexpr int64_t max_kept_bytes = 1 << 20;   // of queries, and their sums, that go through the cache together
	static constexpr int max_streams = 256;              // LLAMA_MAX_SEQ

	const ggml_tensor *q, *k, *v, *mask, *sinks;
	ggml_tensor *dst;
	rotation rotated; // of what the cache has
	float scale, max_bias, logit_softcap;
	int64_t dk, dv;  // values of a key, and of a value, rounded up to whole vectors
	int64_t gqa;     // heads of queries that share a head of keys
	int64_t tokens;  // of a stream, computed together
	int64_t streams; // computed together at most
	bool by_chunks;  // threads may have chunks of the cache each: there is room for what all queries have of all of them
	int64_t parts;   // of the tokens, each computed together
	// How many parts, at most, go through a chunk of the cache one after the other: it is converted once for them.
	int64_t side_by_side;

	flash_attn_op(ggml_tensor *op, int threads, rotation rotated = {});

	// Rows of queries that are computed together, rounded up so that what each has fills cache lines.
	int64_t rows() const { return (streams * tokens * gqa + vector - 1) / vector * vector; }
	int64_t kept_bytes() const { return rows() * (dk + dv + 2) * (int64_t) sizeof(float); } // of a part
	int64_t all_rows() const { return q->ne[1] * q->ne[2] * q->ne[3]; }
	int64_t row_of(int64_t head, int64_t token, int64_t stream) const { return (stream * q->ne[1] + token) * q->ne[2] + head; }
	int64_t chunks() const { return (k->ne[1] + chunk_cells - 1) / chunk_cells; }

	// The slope of a head's bias: https://arxiv.org/abs/2108.12409.
	float slope(int64_t head) const;

	const ggml_fp16_t *mask_of(int64_t token, int64_t stream) const {
		return mask == nullptr ? nullptr : tensor_at<ggml_fp16_t>(mask, token, 0, stream % mask->ne[3]);
	}
};

// Streams that are computed together.
struct stream_group {
	int64_t first, count; // in the order of the streams
	int64_t shared;       // cells, whole blocks, that all have in common
};

// The operation's streams, in groups of those that share cells, as far as they may be computed together.
struct stream_groups {
	int64_t order[flash_attn_op::max_streams];
	stream_group group[flash_attn_op::max_streams];
	int64_t count = 0;

	stream_groups(const flash_attn_op &op, const prefix_groups &known);
};

} // namespace kernels
