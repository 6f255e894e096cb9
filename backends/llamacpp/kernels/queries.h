// Queries that go through a cache together.
#pragma once

#include "cache_block.h"
#include "reduce.h"
#include "softmax_sums.h"

namespace kernels::PROCTOR_LEVEL {

// Those of some tokens of some streams, with one head of keys. Row r is that of head r % gqa, of token r / gqa % tokens, of
// stream r / gqa / tokens.
//
// What rows sum up over a chunk of the cache begins anew, and is then added to what they have of the chunks before. So chunks
// may be computed by different threads, and give the same bits as one after the other.
class queries {
	static constexpr int block_cells = flash_attn_op::block_cells;
	static constexpr int block_vectors = block_cells / vector;

	// A score so far below another one has no weight. The weight would be too small for a normal float, and the CPU is slow
	// with those.
	static constexpr float score_cutoff = -80;

	static constexpr ggml_fp16_t hidden = 0xfc00; // minus infinity, of a mask

	const flash_attn_op &op;
	const int64_t *streams, token, tokens, head, rows; // rows of a stream
	float *query, *score;                              // of each row
	softmax_sums whole, chunk;                         // of all chunks before, and of the one that is being computed
	cache_block block;

  public:
	// Floats of a thread's own memory.
	static int64_t memory_floats(const flash_attn_op &op) {
		return op.rows() * (op.dk + block_cells) + 2 * softmax_sums::memory_floats(op.rows(), op.dv) + cache_block::memory_floats(op);
	}

	// The first stream's number is streams[0]; the memory is a thread's own.
	queries(const flash_attn_op &op, const int64_t *streams, int64_t count, int64_t token, int64_t head, float *memory)
		: op(op), streams(streams), token(token), tokens(std::min(op.tokens, op.q->ne[1] - token)), head(head),
		  rows(tokens * op.gqa), query(memory), score(query + op.rows() * op.dk),
		  whole(score + op.rows() * block_cells, op.rows(), op.dv),
		  chunk(whole.sum + softmax_sums::memory_floats(op.rows(), op.dv), op.rows(), op.dv),
		  block(op, head, chunk.sum + softmax_sums::memory_floats(op.rows(), op.dv)) {
		for (int64_t r = 0; r < count * rows; r++) {
			const float *from = tensor_at<float>(op.q, token_of(r), head_of(r), streams[r / rows]);
			for (int64_t i = 0; i < op.dk; i++) {
				query[r * op.dk + i] = from[i] * op.scale;
			}
			whole.clear(r);
			chunk.clear(r);
		}
	}

	// Goes through cells of one of the streams, with the queries of streams from … to - 1. Beside each block it brings cells that
	// come later, of which later(n) has those for the n-th block from the end.
	template <class function> void attend(cache_cells cells, int64_t from, int64_t to, function later) {
		const int64_t n = (to - from) * rows;
		int64_t before = cells.first - 1;
		for (cache_cells now = visible(cells, from, to), rest; now.first < now.end; now = rest) {
			if (now.first / flash_attn_op::chunk_cells != before / flash_attn_op::chunk_cells) {
				end_chunk(from * rows, to * rows);
			}
			before = now.first;
			rest = visible({now.end, cells.end, cells.stream}, from, to);
			const int64_t steps = block.steps(n);
			const cache_cells others = later((cells.end - now.end + block_cells - 1) / block_cells);
			blocks_ahead ahead = {{op, head, rest, steps}, {op, head, others.block(), steps}};
			block.score(query + from * rows * op.dk, n, now, score, ahead);
			for (int64_t s = from; s < to; s++) {
				for (int64_t i = 0; i < tokens; i++) {
					weigh(s, i, now.first, now.end, score + ((s - from) * rows + i * op.gqa) * block_cells);
				}
			}
			block.add_values(score, n, now, chunk.sum + from * rows * op.dv, ahead);
		}
	}

	// Writes the results of so many streams.
	void finish(int64_t count) {
		end_chunk(0, count * rows);
		for (int64_t r = 0; r < count * rows; r++) {
			write(op, head_of(r), token_of(r), streams[r / rows], whole, r);
		}
	}

	// Writes what so many streams have of the only chunk that they went through, to sums of all of the operation's rows.
	void keep(int64_t count, const softmax_sums &to) const {
		for (int64_t r = 0; r < count * rows; r++) {
			to.copy(op.row_of(head_of(r), token_of(r), streams[r / rows]), chunk, r);
		}
	}

	// Writes a result, of a row that has gone through all cells.
	static void write(const flash_attn_op &op, int64_t head, int64_t token, int64_t stream, const softmax_sums &sums, int64_t row) {
		float shrink = 1, total = sums.total[row];
		if (op.sinks != nullptr) { // a score without a value
			const float sink = ((const float *) op.sinks->data)[head], highest = std::max(sums.peak[row], sink);
			shrink = std::exp(sums.peak[row] - highest);
			total = std::fma(total, shrink, std::exp(sink - highest));
		}
		const float inverse = total == 0 ? 0 : shrink / total;
		auto *to = (float *) ((char *) op.dst->data + op.row_of(head, token, stream) * op.dst->nb[1]);
		for (int64_t i = 0; i < op.v->ne[0]; i++) {
			to[i] = sums.sum[row * op.dv + i] * inverse;
		}
	}

  private:
	int64_t token_of(int64_t row) const { return token + row / op.gqa % tokens; }
	int64_t head_of(int64_t row) const { return head * op.gqa + row % op.gqa; }

	// Adds what rows have of a chunk to what they have of those before.
	void end_chunk(int64_t first, int64_t end) const {
		for (int64_t r = first; r < end; r++) {
			whole.add(r, chunk, r);
			chunk.clear(r);
		}
	}

	// Returns the first block of which a token sees a cell; none does beyond the end of a text.
	cache_cells visible(cache_cells cells, int64_t from, int64_t to) const {
		while (cells.first < cells.end && !sees(cells.block(), from, to)) {
			cells.first += block_cells;
		}
		return cells.block();
	}

	// Says whether a token sees any of the cells.
	bool sees(cache_cells cells, int64_t from, int64_t to) const {
		for (int64_t s = from; s < to; s++) {
			for (int64_t i = 0; i < tokens; i++) {
				const ggml_fp16_t *mask = op.mask_of(token + i, streams[s]);
				if (mask == nullptr || std::any_of(mask + cells.first, mask + cells.end, [](ggml_fp16_t half) { return half != hidden; })) {
					return true;
				}
			}
		}
		return false;
	}

	// What a token sees of a block of cells.
	struct block_view {
		f32x16 bias[block_vectors];
		mask cells[block_vectors];

		// hidden is the mask of the block's first cell, or nullptr; count is how many there are.
		block_view(const ggml_fp16_t *hidden, int64_t count) {
			for (int j = 0; j < block_vectors; j++) {
				cells[j] = first_lanes(count - j * vector);
				bias[j] = zeros();
				if (hidden != nullptr) {
					bias[j] = load_first_f16(hidden + j * vector, count - j * vector);
					cells[j] = both(cells[j], not_equal(bias[j], broadcast(-INFINITY)));
				}
			}
		}

		bool all_finite(const float *scores) const {
			for (int j = 0; j < block_vectors; j++) {
				if (any(both(cells[j], non_finite(load(scores + j * vector))))) {
					return false;
				}
			}
			return true;
		}
	};

	// Makes weights of the scores that a token's queries have for a block. Where one of those that it sees is no number, the
	// row's total is none, and so is its result.
	void weigh(int64_t s, int64_t i, int64_t cell, int64_t end, float *scores) {
		const ggml_fp16_t *mask = op.mask_of(token + i, streams[s]);
		const block_view view(mask == nullptr ? nullptr : mask + cell, end - cell);
		int64_t r = s * rows + i * op.gqa;
		for (int64_t h = 0; h < op.gqa; h++, r++, scores += block_cells) {
			if (!view.all_finite(scores)) {
				chunk.total[r] = NAN;
				memset(scores, 0, block_cells * sizeof(float));
				continue;
			}
			if (op.logit_softcap != 0) {
				for (int64_t c = 0; c < block_cells; c += vector) {
					store(scores + c, mul(broadcast(op.logit_softcap), tanh(load(scores + c))));
				}
			}
			softmax(r, view, op.slope(head_of(r)), scores);
		}
	}

	// Makes weights of a row's scores, and scales what it has summed down where one of them is higher than all before.
	void softmax(int64_t r, const block_view &view, float slope, float *scores) {
		f32x16 v[block_vectors], highest = broadcast(-INFINITY);
		for (int j = 0; j < block_vectors; j++) {
			const f32x16 biased = fmadd(broadcast(slope), view.bias[j], load(scores + j * vector));
			v[j] = select(view.cells[j], biased, broadcast(-INFINITY));
			highest = max(highest, v[j]);
		}
		const float now = std::max(chunk.peak[r], reduce_max(highest));
		if (now == -INFINITY) { // it has not seen anything yet
			memset(scores, 0, block_cells * sizeof(float));
			return;
		}
		f32x16 weights = zeros();
		for (int j = 0; j < block_vectors; j++) {
			const f32x16 below = sub(v[j], broadcast(now));
			v[j] = select(above(below, broadcast(score_cutoff)), exp(below), zeros());
			weights = add(weights, v[j]);
			store(scores + j * vector, v[j]);
		}
		const float shrink = chunk.raise(r, now);
		chunk.total[r] = std::fma(chunk.total[r], shrink, reduce_add(weights));
	}
};

} // namespace kernels::PROCTOR_LEVEL
