// Attention.
//
// Queries of all heads that share keys are computed together, a block of 64 cells of the cache at a time (cache_block.h). Where
// streams begin with the same cells, so are the queries of all of these streams, as far as that goes. The softmax is carried
// along (softmax_sums.h), over chunks of 256 cells that threads may share out. A query's result depends neither on the queries
// beside it nor on the threads.
#pragma once

#include "queries.h"

namespace kernels::PROCTOR_LEVEL {
namespace {

struct attention_of_floats : flash_attn {
	bool takes(const ggml_tensor *op) const override {
		const ggml_tensor *q = op->src[0], *k = op->src[1], *v = op->src[2], *mask = op->src[3];
		auto readable = [](const ggml_tensor *t) {
			return t->type != GGML_TYPE_F32 && ggml_get_type_traits(t->type)->to_float != nullptr && t->ne[0] % vector == 0;
		};
		return readable(k) && readable(v) && q->type == GGML_TYPE_F32 && q->ne[2] / k->ne[2] <= flash_attn_op::max_queries &&
			q->ne[2] % k->ne[2] == 0 && k->ne[2] == v->ne[2] &&
			q->ne[3] == k->ne[3] && q->ne[3] == v->ne[3] && q->ne[3] <= flash_attn_op::max_streams &&
			(mask == nullptr || (mask->type == GGML_TYPE_F16 && mask->ne[2] == 1));
	}

	size_t work_size(int threads, const ggml_tensor *tensor) const override {
		const flash_attn_op op(const_cast<ggml_tensor *>(tensor), threads);
		const int64_t sums = op.by_chunks ? op.chunks() * chunk_floats(op) : 0;
		return (queries::memory_floats(op) * threads + sums) * sizeof(float);
	}

	void compute(const ggml_compute_params *params, ggml_tensor *tensor, const prefix_groups &known) const override {
		const flash_attn_op op(tensor, params->nth);
		const stream_groups groups(op, known);
		if (params->ith == 0) {
			ggml_threadpool_chunk_set(params->threadpool, params->nth);
		}
		ggml_barrier(params->threadpool);
		if (op.by_chunks && groups.count * op.k->ne[2] < 2 * params->nth) {
			compute_by_chunks(params, op, groups);
		} else {
			compute_whole(params, op, groups);
		}
	}

  private:
	static int64_t chunk_floats(const flash_attn_op &op) { return softmax_sums::memory_floats(op.all_rows(), op.dv); }

	static float *memory_of(const ggml_compute_params *params, const flash_attn_op &op, int64_t thread) {
		return (float *) params->wdata + thread * queries::memory_floats(op);
	}

	// Gives each thread queries, with all cells.
	static void compute_whole(const ggml_compute_params *params, const flash_attn_op &op, const stream_groups &groups) {
		const int64_t heads = op.k->ne[2], parts = (op.q->ne[1] + op.tokens - 1) / op.tokens; // of the tokens
		for (int64_t i = params->ith; i < groups.count * heads * parts; i = ggml_threadpool_chunk_add(params->threadpool, 1)) {
			const stream_group &group = groups.group[i / parts / heads];
			const int64_t *streams = groups.order + group.first;
			queries some(op, streams, group.count, i % parts * op.tokens, i / parts % heads, memory_of(params, op, params->ith));
			attend(some, group, streams, 0, op.k->ne[1]);
			some.finish(group.count);
		}
	}

	// Gives each thread chunks of the cache, with the queries of all tokens. Then the chunks are added up in their order.
	static void compute_by_chunks(const ggml_compute_params *params, const flash_attn_op &op, const stream_groups &groups) {
		const int64_t heads = op.k->ne[2], chunks = op.chunks(), cells = op.chunk_cells;
		auto of_chunk = [&](int64_t chunk) {
			return softmax_sums(memory_of(params, op, params->nth) + chunk * chunk_floats(op), op.all_rows(), op.dv);
		};
		for (int64_t i = params->ith; i < groups.count * heads * chunks; i = ggml_threadpool_chunk_add(params->threadpool, 1)) {
			const stream_group &group = groups.group[i / chunks / heads];
			const int64_t *streams = groups.order + group.first, chunk = i % chunks;
			queries some(op, streams, group.count, 0, i / chunks % heads, memory_of(params, op, params->ith));
			attend(some, group, streams, chunk * cells, std::min((chunk + 1) * cells, op.k->ne[1]));
			some.keep(group.count, of_chunk(chunk));
		}
		ggml_barrier(params->threadpool);
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

	// Takes the queries of a group through cells first … end - 1: those that its streams share once for all of them. What is a
	// stream's own is brought beside as many of the shared blocks as there are streams, or beside the stream before.
	static void attend(queries &some, const stream_group &group, const int64_t *streams, int64_t first, int64_t end) {
		const cache_cells shared = {first, std::min(end, group.shared), streams[0]};
		const int64_t brought = std::max<int64_t>(shared.end - first, 0) / flash_attn_op::block_cells;
		auto own = [&](int64_t s) {
			return s < group.count ? cache_cells{std::max(first, group.shared), end, streams[s]} : cache_cells{};
		};
		some.attend(shared, 0, group.count, own);
		for (int64_t s = 0; s < group.count; s++) {
			some.attend(own(s), s, s + 1, [&](int64_t) { return s + 1 < brought ? cache_cells{} : own(s + 1); });
		}
	}
};

} // namespace

const flash_attn *attention() {
	static const attention_of_floats one;
	return &one;
}

} // namespace kernels::PROCTOR_LEVEL
