// Attention.
//
// Queries of all heads that share keys are computed together, a chunk of 256 cells of the cache at a time: their scores, a block
// of 64 cells after the other (cache_block.h), what the softmax makes of them (scores.h), and the sums of values. Where streams
// begin with the same cells, the queries of all of these streams are computed together, as far as that goes. Chunks are added
// up in their order (softmax_sums.h); threads may share them out. A query's result depends neither on the queries beside it nor
// on the threads.
#pragma once

#include "group_chunks.h"

namespace kernels::PROCTOR_LEVEL {
namespace {

struct attention_of_floats : flash_attn {
	bool takes(const ggml_tensor *op) const override {
		const ggml_tensor *q = op->src[0], *k = op->src[1], *v = op->src[2], *mask = op->src[3];
		auto readable = [](const ggml_tensor *t) {
			return t->type == GGML_TYPE_F32 || ggml_get_type_traits(t->type)->to_float != nullptr;
		};
		return readable(k) && readable(v) && q->type == GGML_TYPE_F32 && q->ne[2] % k->ne[2] == 0 && k->ne[2] == v->ne[2] &&
			q->ne[3] == k->ne[3] && q->ne[3] == v->ne[3] && q->ne[3] <= flash_attn_op::max_streams &&
			(mask == nullptr || (mask->type == GGML_TYPE_F16 && mask->ne[2] == 1));
	}

	size_t work_size(int threads, const ggml_tensor *tensor) const override {
		const flash_attn_op op(const_cast<ggml_tensor *>(tensor), threads);
		const int64_t sums = op.by_chunks ? op.chunks() * chunk_floats(op) : 0;
		return (thread_floats(op) * threads + sums) * sizeof(float) + cache_line;
	}

	void compute(const compute_params *params, ggml_tensor *tensor) const override {
		const flash_attn_op op(tensor, params->nth, params->cache->rotates);
		const stream_groups groups(op, params->cache->groups);
		if (params->ith == 0) {
			params->set_chunk(params->nth);
		}
		params->wait();
		// Threads that have a head each, all with the same to do, need not read what others have summed up.
		const bool even = groups.count == 1 && op.k->ne[2] == params->nth;
		if (op.by_chunks && !even && groups.count * op.k->ne[2] < 2 * params->nth) {
			compute_by_chunks(params, op, groups);
		} else {
			compute_whole(params, op, groups);
		}
	}

  private:
	static int64_t chunk_floats(const flash_attn_op &op) { return softmax_sums::memory_floats(op.all_rows(), op.dv); }

	// A thread's memory: that of its block, that which all of its queries use, and that which each part of them keeps.
	static int64_t thread_floats(const flash_attn_op &op) {
		return block_floats(op) + passing_floats(op) + op.side_by_side * kept_floats(op);
	}
	static int64_t block_floats(const flash_attn_op &op) { return padded(cache_block::memory_floats(op)); }
	static int64_t passing_floats(const flash_attn_op &op) { return padded(queries::passing_floats(op)); }
	static int64_t kept_floats(const flash_attn_op &op) { return padded(queries::kept_floats(op)); }
	static int64_t padded(int64_t floats) { return (floats + vector - 1) / vector * vector; }

	// A thread's memory begins with a cache line, as ggml's does not: a vector that lies in two lines is read twice.
	static float *memory_of(const compute_params *params, const flash_attn_op &op, int64_t thread) {
		const uintptr_t first = ((uintptr_t) params->wdata + cache_line - 1) / cache_line * cache_line;
		return (float *) first + thread * thread_floats(op);
	}

	// Gives each thread queries, with all cells. Parts of a stream's tokens go through the cache side by side, the last ones first: they
	// see most, and take longest.
	static void compute_whole(const compute_params *params, const flash_attn_op &op, const stream_groups &groups) {
		const int64_t heads = op.k->ne[2], cells = op.k->ne[1], ranges = (op.parts + op.side_by_side - 1) / op.side_by_side;
		for (int64_t i = params->ith; i < ranges * groups.count * heads; i = params->next_chunk()) {
			const stream_group &group = groups.group[i / heads % groups.count];
			const int64_t *streams = groups.order + group.first, range = ranges - 1 - i / heads / groups.count;
			const int64_t first = range * op.side_by_side, end = std::min(first + op.side_by_side, op.parts);
			const int64_t step = end - first > 1 ? op.chunk_cells : cells; // through the cache
			float *memory = memory_of(params, op, params->ith), *passing = memory + block_floats(op);
			cache_block block(op, i % heads, memory);
			auto each = [&](auto use) {
				for (int64_t part = end - 1; part >= first; part--) {
					float *kept = passing + passing_floats(op) + (part - first) * kept_floats(op);
					use(queries(op, streams, part * op.tokens, i % heads, kept, passing, block));
				}
			};
			each([&](const queries &some) { some.begin(group.count); });
			for (int64_t cell = 0; cell < cells; cell += step) {
				each([&](const queries &some) { attend(some, group, streams, cell, std::min(cell + step, cells)); });
			}
			each([&](const queries &some) { some.finish(group.count); });
		}
	}

	// Gives each thread chunks of the cache, with the queries of all tokens: of all streams that share cells of it, else of one.
	// Then the chunks are added up in their order.
	static void compute_by_chunks(const compute_params *params, const flash_attn_op &op, const stream_groups &groups) {
		const int64_t heads = op.k->ne[2], chunks = op.chunks(), cells = op.chunk_cells;
		auto of_chunk = [&](int64_t chunk) {
			return softmax_sums(memory_of(params, op, params->nth) + chunk * chunk_floats(op), op.all_rows(), op.dv);
		};
		int64_t before = 0; // parts of the groups before
		int64_t i = params->ith;
		for (const stream_group *group = groups.group; group < groups.group + groups.count; group++) {
			const int64_t shared = (group->shared + cells - 1) / cells, parts = shared + (chunks - shared) * group->count;
			for (; i < before + parts * heads; i = params->next_chunk()) {
				const int64_t part = (i - before) / heads, own = part - shared;
				const int64_t chunk = own < 0 ? part : shared + own / group->count;
				const stream_group some = own < 0 ? *group : stream_group{group->first + own % group->count, 1, 0};
				const int64_t *streams = groups.order + some.first;
				float *memory = memory_of(params, op, params->ith), *passing = memory + block_floats(op);
				cache_block block(op, (i - before) % heads, memory);
				const queries rows(op, streams, 0, (i - before) % heads, passing + passing_floats(op), passing, block);
				rows.begin(some.count);
				attend(rows, some, streams, chunk * cells, std::min((chunk + 1) * cells, op.k->ne[1]));
				rows.keep(some.count, of_chunk(chunk));
			}
			before += parts * heads;
		}
		params->wait();
		const softmax_sums whole(memory_of(params, op, params->ith), 1, op.dv);
		for (int64_t row = params->ith; row < op.all_rows(); row += params->nth) {
			whole.clear(0);
			for (int64_t chunk = 0; chunk < chunks; chunk++) {
				whole.add(0, of_chunk(chunk), row);
			}
			const int64_t token = row / op.q->ne[2];
			queries::write(op, row % op.q->ne[2], token % op.q->ne[1], token / op.q->ne[1], whole, 0);
		}
	}

	// Takes the queries of a group through cells first … end - 1, a chunk at a time.
	static void attend(const queries &some, const stream_group &group, const int64_t *streams, int64_t first, int64_t end) {
		group_chunks rest(some, group, streams, first, end);
		seen_blocks lists[2], *now = lists, *next = lists + 1;
		for (rest.next(*now); now->count > 0; std::swap(now, next)) {
			rest.next(*next);
			some.attend(*now, next->count > 0 ? next->blocks[0].cells : cache_cells{});
		}
	}
};

} // namespace

const flash_attn *attention() {
	static const attention_of_floats one;
	return &one;
}

} // namespace kernels::PROCTOR_LEVEL
