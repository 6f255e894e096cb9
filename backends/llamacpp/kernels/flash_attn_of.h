// Attention.
//
// Queries of all heads that share keys are computed together, a block of 64 cells of the cache at a time: the block is
// converted to floats once for all of them, the keys transposed so that a vector holds one place of 16 keys. Where streams
// begin with the same cells, so are the queries of all of these streams, as far as that goes. The softmax is carried
// along: https://arxiv.org/abs/1805.02867. A query's result does not depend on the queries beside it.
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

	size_t work_size(int threads, const ggml_tensor *op) const override {
		return queries::memory_floats(flash_attn_op(const_cast<ggml_tensor *>(op), threads)) * sizeof(float) * threads;
	}

	void compute(const ggml_compute_params *params, ggml_tensor *tensor, const prefix_groups &known) const override {
		const flash_attn_op op(tensor, params->nth);
		const stream_groups groups(op, known);
		const int64_t heads = op.k->ne[2], cells = op.k->ne[1], parts = (op.q->ne[1] + op.tokens - 1) / op.tokens; // of the tokens
		float *memory = (float *) params->wdata + params->ith * queries::memory_floats(op);
		if (params->ith == 0) {
			ggml_threadpool_chunk_set(params->threadpool, params->nth);
		}
		ggml_barrier(params->threadpool);
		for (int64_t i = params->ith; i < groups.count * heads * parts; i = ggml_threadpool_chunk_add(params->threadpool, 1)) {
			const stream_group &group = groups.group[i / parts / heads];
			const int64_t *streams = groups.order + group.first;
			queries queries(op, streams, group.count, i % parts * op.tokens, i / parts % heads, memory);
			queries.attend(0, group.shared, streams[0], 0, group.count);
			for (int64_t s = 0; s < group.count; s++) {
				queries.attend(group.shared, cells, streams[s], s, s + 1);
			}
			queries.finish(group.count);
		}
	}
};

} // namespace

const flash_attn *attention() {
	static const attention_of_floats one;
	return &one;
}

} // namespace kernels::PROCTOR_LEVEL
