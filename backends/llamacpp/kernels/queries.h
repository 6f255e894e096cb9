// Queries that go through a cache together.
#pragma once

#include "gemm.h"
#include "reduce.h"

namespace kernels::PROCTOR_LEVEL {

// Those of some tokens of some streams, with one head of keys. Row r is that of head r % gqa, of token r / gqa % tokens, of
// stream r / gqa / tokens.
class queries {
	static constexpr int block_cells = flash_attn_op::block_cells;
	static constexpr int block_vectors = block_cells / vector;
	static_assert(block_cells % gemm_columns == 0, "a block's scores are whole products");

	// A score so far below another one has no weight. The weight would be too small for a normal float, and the CPU is slow
	// with those.
	static constexpr float score_cutoff = -80;

	static constexpr ggml_fp16_t hidden = 0xfc00; // minus infinity, of a mask

	const flash_attn_op &op;
	const int64_t *streams, token, tokens, head, rows; // rows of a stream
	float *query, *score, *peak, *sum, *total;         // of each row: sum of values and total weight, a weight being e^(score - peak)
	float *keys, *values, *untransposed;               // of a block

  public:
	// Floats of a thread's own memory.
	static size_t memory_floats(const flash_attn_op &op) {
		return op.rows() * (op.dk + op.dv + block_cells + 2) + block_cells * (op.dk + op.dv) + block_cells * op.dk;
	}

	// The first stream's number is streams[0]; the memory is a thread's own.
	queries(const flash_attn_op &op, const int64_t *streams, int64_t count, int64_t token, int64_t head, float *memory)
		: op(op), streams(streams), token(token), tokens(std::min(op.tokens, op.q->ne[1] - token)), head(head),
		  rows(tokens * op.gqa) {
		auto take = [&memory](int64_t floats) {
			float *taken = memory;
			memory += floats;
			return taken;
		};
		query = take(op.rows() * op.dk);
		sum = take(op.rows() * op.dv);
		score = take(op.rows() * block_cells);
		peak = take(op.rows());
		total = take(op.rows());
		keys = take(block_cells * op.dk);
		values = take(block_cells * op.dv);
		untransposed = take(block_cells * op.dk);
		for (int64_t r = 0; r < count * rows; r++) {
			const float *from = tensor_at<float>(op.q, token_of(r), head_of(r), streams[r / rows]);
			for (int64_t i = 0; i < op.dk; i++) {
				query[r * op.dk + i] = from[i] * op.scale;
			}
			peak[r] = -INFINITY;
			total[r] = 0;
		}
		memset(sum, 0, count * rows * op.dv * sizeof(float));
	}

	// Goes through cells of one of the streams, with the queries of streams from … to - 1.
	void attend(int64_t first, int64_t end, int64_t stream, int64_t from, int64_t to) {
		for (int64_t cell = first; cell < end; cell += block_cells) {
			const int64_t block_end = std::min(cell + block_cells, end);
			if (!visible(cell, block_end, from, to)) {
				continue;
			}
			load_keys(cell, block_end, stream);
			load_cells(op.v, cell, block_end, stream, values, op.dv);
			const int64_t n = (to - from) * rows;
			gemm(query + from * rows * op.dk, n, op.dk, keys, block_cells, score, false);
			for (int64_t s = from; s < to; s++) {
				for (int64_t i = 0; i < tokens; i++) {
					weigh(s, i, cell, block_end, score + ((s - from) * rows + i * op.gqa) * block_cells);
				}
			}
			gemm(score, n, block_cells, values, op.dv, sum + from * rows * op.dv, true);
		}
	}

	// Writes the results of so many streams.
	void finish(int64_t count) {
		for (int64_t r = 0; r < count * rows; r++) {
			float shrink = 1;
			if (op.sinks != nullptr) { // a score without a value
				const float sink = ((const float *) op.sinks->data)[head_of(r)], highest = std::max(peak[r], sink);
				shrink = std::exp(peak[r] - highest);
				total[r] = std::fma(total[r], shrink, std::exp(sink - highest));
			}
			const float inverse = total[r] == 0 ? 0 : shrink / total[r];
			const int64_t row = (streams[r / rows] * op.dst->ne[2] + token_of(r)) * op.dst->ne[1] + head_of(r);
			auto *to = (float *) ((char *) op.dst->data + row * op.dst->nb[1]);
			for (int64_t i = 0; i < op.v->ne[0]; i++) {
				to[i] = sum[r * op.dv + i] * inverse;
			}
		}
	}

  private:
	int64_t token_of(int64_t row) const { return token + row / op.gqa % tokens; }
	int64_t head_of(int64_t row) const { return head * op.gqa + row % op.gqa; }

	// Says whether a token sees any of the cells; none does beyond the end of a text.
	bool visible(int64_t cell, int64_t end, int64_t from, int64_t to) const {
		for (int64_t s = from; s < to; s++) {
			for (int64_t i = 0; i < tokens; i++) {
				const ggml_fp16_t *mask = op.mask_of(token + i, streams[s]);
				if (mask == nullptr || std::any_of(mask + cell, mask + end, [](ggml_fp16_t half) { return half != hidden; })) {
					return true;
				}
			}
		}
		return false;
	}

	// Reads a block of the head's keys or values as floats, stride apart; those from end on are 0.
	void load_cells(const ggml_tensor *t, int64_t first, int64_t end, int64_t stream, float *to, int64_t stride) const {
		auto convert = ggml_get_type_traits(t->type)->to_float;
		for (int64_t i = first; i < first + block_cells; i++, to += stride) {
			const void *row = tensor_at<void>(t, i, head, stream);
			if (i >= end) {
				memset(to, 0, stride * sizeof(float));
			} else if (t->type == GGML_TYPE_F16) {
				for (int64_t j = 0; j < t->ne[0]; j += vector) {
					store(to + j, load_f16((const ggml_fp16_t *) row + j));
				}
			} else {
				convert(row, to, t->ne[0]);
			}
		}
	}

	// Reads a block of keys, transposed, and asks meanwhile for the keys and values of the next one.
	void load_keys(int64_t cell, int64_t end, int64_t stream) {
		load_cells(op.k, cell, end, stream, untransposed, op.dk);
		for (int64_t i = 0; i < block_cells; i += vector) {
			for (int64_t j = 0; j < op.dk; j += vector) {
				const int64_t next = cell + block_cells + i, first = next + j * vector / op.dk, last = next + (j + vector) * vector / op.dk;
				prefetch(op.k, first, last, stream);
				prefetch(op.v, first, last, stream);
				transpose(untransposed + i * op.dk + j, op.dk, keys + j * block_cells + i, block_cells);
			}
		}
	}

	void prefetch(const ggml_tensor *t, int64_t first, int64_t end, int64_t stream) const {
		const int64_t size = (int64_t) ggml_row_size(t->type, t->ne[0]);
		for (int64_t i = first; i < std::min(end, t->ne[1]); i++) {
			for (int64_t j = 0; j < size; j += 64) {
				_mm_prefetch(tensor_at<char>(t, i, head, stream) + j, _MM_HINT_T1);
			}
		}
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
				total[r] = NAN;
				memset(scores, 0, block_cells * sizeof(float));
				continue;
			}
			if (op.logit_softcap != 0) {
				for (int64_t c = 0; c < block_cells; c++) {
					scores[c] = op.logit_softcap * std::tanh(scores[c]);
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
		const float before = peak[r], now = std::max(before, reduce_max(highest));
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
		float shrink = 1;
		if (now > before) {
			shrink = std::exp(before - now);
			for (int64_t c = 0; c < op.dv; c++) {
				sum[r * op.dv + c] *= shrink;
			}
			peak[r] = now;
		}
		total[r] = std::fma(total[r], shrink, reduce_add(weights));
	}
};

} // namespace kernels::PROCTOR_LEVEL
