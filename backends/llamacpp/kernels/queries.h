// Queries that go through a cache together.
#pragma once

#include "cache_block.h"
#include "rotate.h"
#include "scores.h"

namespace kernels::PROCTOR_LEVEL {

// Blocks of a chunk of the cache that are attended together: those of which somebody sees a cell.
struct seen_blocks {
	struct block {
		cache_cells cells;
		int64_t from, to; // whose queries go through it: of streams from … to - 1
	};
	std::array<block, flash_attn_op::chunk_blocks * flash_attn_op::max_queries> blocks;
	int64_t count = 0, from, to; // streams that go through some of them: from … to - 1

	const block *begin() const { return blocks.data(); }
	const block *end() const { return blocks.data() + count; }
};

// Those of some tokens of some streams, with one head of keys. Row r is that of head r % gqa, of token r / gqa % tokens, of
// stream r / gqa / tokens.
//
// What rows sum up over a chunk of the cache begins anew, and is then added to what they have of the chunks before. So chunks
// may be computed by different threads, and give the same bits as one after the other.
class queries {
	static constexpr int block_cells = flash_attn_op::block_cells, chunk_cells = flash_attn_op::chunk_cells;

	static constexpr ggml_fp16_t hidden = 0xfc00; // minus infinity, of a mask

	const flash_attn_op &op;
	const int64_t *streams, token, tokens, head, rows; // rows of a stream
	float *query, *score;                              // of each row; scores of a chunk
	softmax_sums whole, chunk;                         // of all chunks before, and of the one that is being computed
	cache_block &block;

  public:
	// Floats that a part keeps while others of its thread go through a chunk; and floats that they use one after the other.
	static int64_t kept_floats(const flash_attn_op &op) {
		return op.rows() * op.dk + softmax_sums::memory_floats(op.rows(), op.dv);
	}
	static int64_t passing_floats(const flash_attn_op &op) {
		return op.rows() * chunk_cells + softmax_sums::memory_floats(op.rows(), op.dv);
	}

	// The first stream's number is streams[0]; the memory and the block are a thread's own.
	queries(const flash_attn_op &op, const int64_t *streams, int64_t token, int64_t head, float *kept, float *passing,
		cache_block &block)
		: op(op), streams(streams), token(token), tokens(std::min(op.tokens, op.q->ne[1] - token)), head(head),
		  rows(tokens * op.gqa), query(kept), score(passing), whole(query + op.rows() * op.dk, op.rows(), op.dv),
		  chunk(score + op.rows() * chunk_cells, op.rows(), op.dv), block(block) {}

	// Reads the queries of the first count streams, which have seen nothing yet.
	void begin(int64_t count) const {
		each_row(count, [&](int64_t r, int64_t h, int64_t token, int64_t stream) {
			put_query(tensor_at<float>(op.q, token, h, stream), op.k->ne[0], op.scale, query + r * op.dk, op.dk);
			rotate(query + r * op.dk, op.k->ne[0], op.rotated.keys);
			whole.clear(r);
		});
	}

	// Adds those blocks of some cells of a chunk of which a token of streams from … to - 1 sees a cell, up to the last one that any of
	// them sees: none does beyond the end of a text, and what lies there is of others that are gone.
	void see(cache_cells cells, int64_t from, int64_t to, seen_blocks &seen) const {
		for (cache_cells one = cells; one.first < cells.end; one.first += block_cells) {
			one.end = std::min(one.first + block_cells, cells.end);
			one.end = seen_end(one, from, to);
			if (one.end > one.first) {
				seen.blocks[seen.count++] = {one, from, to};
			}
		}
	}

	// Takes queries through blocks of a chunk; beside the last one it brings those that come next.
	void attend(const seen_blocks &blocks, cache_cells next) const {
		uint8_t seen[flash_attn_op::max_queries] = {}; // which of the chunk's blocks a stream's queries go through
		bool hides[flash_attn_op::max_queries];        // whether a token of a stream does not see some of their cells
		for (const auto &b : blocks) {
			const int64_t n = (b.to - b.from) * rows, steps = block.score_steps(n);
			const cells_ahead ahead = &b + 1 < blocks.end() ? cells_ahead(op.k, head, (&b + 1)->cells, steps)
															: cells_ahead(op.v, head, blocks.begin()->cells, steps);
			const matrix<const float> query_of = {query + b.from * rows * op.dk, op.dk};
			block.score(query_of, n, b.cells, ends_of(b), scores_of(b), ahead);
			for (int64_t s = b.from; s < b.to; s++) {
				seen[s] |= 1 << place_of(b) / block_cells;
			}
		}
		const int64_t first = blocks.begin()->cells.first / chunk_cells * chunk_cells;
		for (int64_t s = blocks.from; s < blocks.to; s++) {
			for (int64_t i = 0; i < tokens; i++) {
				hides[s * tokens + i] = weigh_token(s, i, first, seen[s], blocks.to);
			}
		}
		for (const auto &b : blocks) {
			const int64_t n = (b.to - b.from) * rows, steps = block.value_steps(n);
			const cells_ahead ahead =
				&b + 1 < blocks.end() ? cells_ahead(op.v, head, (&b + 1)->cells, steps) : cells_ahead(op.k, head, next, steps);
			const float *weights = score + b.from * rows * chunk_cells + place_of(b);
			block.add_values({weights, chunk_cells}, n, b.cells, ends_of(b), {chunk.sum + b.from * rows * op.dv, op.dv}, ahead);
		}
		for (int64_t s = blocks.from; s < blocks.to; s++) {
			for (int64_t i = 0; i < tokens; i++) {
				if (hides[s * tokens + i]) {
					drop_hidden(s, i, blocks);
				}
			}
		}
		for (int64_t r = blocks.from * rows; r < blocks.to * rows; r++) {
			whole.add(r, chunk, r);
		}
	}

	// Writes the results of so many streams.
	void finish(int64_t count) const {
		each_row(count, [&](int64_t r, int64_t h, int64_t token, int64_t stream) { write(op, h, token, stream, whole, r); });
	}

	// Writes what so many streams have summed up, to sums of all of the operation's rows.
	void keep(int64_t count, const softmax_sums &to) const {
		each_row(
			count, [&](int64_t r, int64_t h, int64_t token, int64_t stream) { to.copy(op.row_of(h, token, stream), whole, r); });
	}

	// Writes a result, of a row that has gone through all cells.
	static void write(
		const flash_attn_op &op, int64_t head, int64_t token, int64_t stream, const softmax_sums &sums, int64_t row) {
		float shrink = 1, total = sums.total[row];
		if (op.sinks != nullptr) { // a score without a value
			const float sink = ((const float *) op.sinks->data)[head], highest = std::max(sums.peak[row], sink);
			shrink = weight_of(sums.peak[row] - highest);
			total = std::fma(total, shrink, weight_of(sink - highest));
		}
		const float inverse = total == 0 ? 0 : shrink / total;
		auto *to = (float *) ((char *) op.dst->data + op.row_of(head, token, stream) * op.dst->nb[1]);
		for (int64_t i = 0; i < op.v->ne[0]; i++) {
			to[i] = sums.sum[row * op.dv + i] * inverse;
		}
		rotate(to, op.v->ne[0], op.rotated.values);
	}

  private:
	// Calls use with each row of so many streams, and its head, token and stream.
	template <class function> void each_row(int64_t count, function use) const {
		int64_t r = 0;
		for (int64_t s = 0; s < count; s++) {
			for (int64_t i = 0; i < tokens; i++) {
				for (int64_t h = 0; h < op.gqa; h++) {
					use(r++, head * op.gqa + h, token + i, streams[s]);
				}
			}
		}
	}

	// The place of a block in its chunk, and the scores of those who go through it.
	static int64_t place_of(const seen_blocks::block &b) { return b.cells.first % chunk_cells; }
	matrix<float> scores_of(const seen_blocks::block &b) const {
		return {score + b.from * rows * chunk_cells + place_of(b), chunk_cells};
	}

	// Returns the end of those of a block's cells that a token of streams from … to - 1 sees; where none does, the first cell. The last
	// tokens come first, as they see most.
	int64_t seen_end(cache_cells cells, int64_t from, int64_t to) const {
		int64_t end = cells.first;
		for (int64_t s = to - 1; s >= from; s--) {
			for (int64_t i = tokens - 1; i >= 0; i--) {
				const ggml_fp16_t *mask = op.mask_of(token + i, streams[s]);
				if (mask == nullptr || mask[cells.end - 1] != hidden) {
					return cells.end;
				}
				if (!all_are(mask + end, mask + cells.end, hidden)) {
					for (end = cells.end - 1; mask[end - 1] == hidden;) {
						end--;
					}
				}
			}
		}
		return end;
	}

	// Returns up to where tokens see a block's cells. All of them, where the first tokens of each stream see the last one: those behind
	// them rarely see less, and then more is multiplied than need be.
	seen_ends ends_of(const seen_blocks::block &b) const {
		seen_ends ends;
		if (block.few((b.to - b.from) * rows)) {
			return ends; // what is read is not looked at
		}
		const int64_t all = b.cells.end - b.cells.first;
		auto sees = [&](int64_t i, int64_t s) {
			const ggml_fp16_t *mask = op.mask_of(token + i, streams[s]);
			int64_t end = all;
			while (mask != nullptr && end > 0 && mask[b.cells.first + end - 1] == hidden) {
				end--;
			}
			return end;
		};
		ends.whole = all == block_cells;
		for (int64_t s = b.from; ends.whole && s < b.to; s++) {
			ends.whole = sees(0, s) == all;
		}
		for (int64_t i = 0; !ends.whole && i < (b.to - b.from) * tokens; i++) {
			ends.end[i] = (uint8_t) sees(i % tokens, b.from + i / tokens);
		}
		return ends;
	}

	// Sums up a token's rows again where they have come to no numbers and it does not see all cells of the blocks: what others see, or
	// nobody any more, may be none.
	void drop_hidden(int64_t s, int64_t i, const seen_blocks &blocks) const {
		const ggml_fp16_t *mask = op.mask_of(token + i, streams[s]);
		for (int64_t r = s * rows + i * op.gqa, end = r + op.gqa; r < end; r++) {
			if (chunk.empty(r) || chunk.finite(r)) {
				continue;
			}
			float *sum = chunk.sum + r * op.dv;
			memset(sum, 0, op.dv * sizeof(float));
			for (const auto &b : blocks) {
				if (b.from <= s && s < b.to) {
					const float *weights = score + r * chunk_cells + place_of(b);
					block.add_seen_values(weights, b.cells, sum, [=](int64_t cell) { return mask[cell] != hidden; });
				}
			}
		}
	}

	// Brings what a token's mask says of the chunk that begins with cell first, where its stream comes before end.
	void fetch_mask(int64_t s, int64_t i, int64_t first, int64_t end) const {
		const ggml_fp16_t *mask = s < end ? op.mask_of(token + i, streams[s]) : nullptr;
		for (int64_t c = first; mask != nullptr && c < std::min(first + chunk_cells, op.k->ne[1]);
			 c += cache_line / sizeof *mask) {
			_mm_prefetch((const char *) (mask + c), _MM_HINT_T0);
		}
	}

	// Makes weights of the scores that a token's queries have for blocks of the chunk that begins with cell first, and clears their sums.
	// Says whether cells of these blocks are hidden from it.
	bool weigh_token(int64_t s, int64_t i, int64_t first, unsigned seen, int64_t end) const {
		const ggml_fp16_t *mask = op.mask_of(token + i, streams[s]);
		fetch_mask(i + 1 < tokens ? s : s + 1, (i + 1) % tokens, first, end);
		chunk_view view;
		for (int64_t place = 0; seen != 0; place += block_cells, seen >>= 1) {
			if (seen & 1) {
				view.add(place, mask == nullptr ? nullptr : mask + first + place, op.k->ne[1] - first - place);
			}
		}
		int64_t r = s * rows + i * op.gqa;
		for (int64_t h = 0; h < op.gqa; h++, r++) {
			chunk.clear(r);
			weigh(view, op.logit_softcap, op.slope(head * op.gqa + h), score + r * chunk_cells, chunk, r);
		}
		return mask != nullptr && !view.whole();
	}
};

} // namespace kernels::PROCTOR_LEVEL
