#include "flash_attn_op.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sizes.h"

namespace kernels {

flash_attn_op::flash_attn_op(ggml_tensor *op, int threads, rotation rotates)
	: q(op->src[0]), k(op->src[1]), v(op->src[2]), mask(op->src[3]), sinks(op->src[4]), dst(op) {
	// What is quantised comes from the cache, whatever else may be attended to.
	rotated = {ggml_is_quantized(k->type) ? rotates.keys : 0, ggml_is_quantized(v->type) ? rotates.values : 0};
	memcpy(&scale, op->op_params, sizeof scale);
	memcpy(&max_bias, op->op_params + 1, sizeof max_bias);
	memcpy(&logit_softcap, op->op_params + 2, sizeof logit_softcap);
	scale /= logit_softcap != 0 ? logit_softcap : 1;
	dk = (k->ne[0] + vector - 1) / vector * vector;
	dv = (v->ne[0] + vector - 1) / vector * vector;
	gqa = q->ne[2] / k->ne[2];
	// Every thread is to have two parts at least: fewer tokens, or where a part has all of a stream's, fewer chunks of the cache
	// or fewer streams.
	const int64_t least = 2 * threads, heads = k->ne[2], all = q->ne[3];
	const int64_t sums_bytes = all_rows() * chunks() * (dv + 2) * (int64_t) sizeof(float);
	by_chunks = q->ne[1] * gqa <= max_queries && heads < least && sums_bytes <= max_chunk_bytes;
	if (by_chunks) {
		tokens = q->ne[1];
		streams = std::clamp<int64_t>(max_queries / gqa / tokens, 1, all);
	} else {
		tokens = std::clamp<int64_t>(std::min((q->ne[1] * heads * all + least - 1) / least, max_queries / gqa), 1, q->ne[1]);
		streams = std::clamp<int64_t>(std::min(heads * all / least, max_queries / gqa / tokens), 1, all);
	}
	parts = (q->ne[1] + tokens - 1) / tokens;
	const int64_t most = std::min<int64_t>(parts * heads * all / least, max_kept_bytes / kept_bytes());
	side_by_side = std::clamp<int64_t>(most, 1, parts);
	const int64_t ranges = (parts + side_by_side - 1) / side_by_side;
	side_by_side = (parts + ranges - 1) / ranges; // all ranges are about as long
}

float flash_attn_op::slope(int64_t head) const {
	if (max_bias <= 0) {
		return 1;
	}
	const int64_t power = (int64_t) 1 << (int) std::floor(std::log2((float) q->ne[2]));
	if (head < power) {
		return std::pow(std::exp2(-max_bias / power), (float) (head + 1));
	}
	return std::pow(std::exp2(-max_bias / 2 / power), (float) (2 * (head - power) + 1));
}

// Returns the number in the cache of the first stream that keys are of; -1 where nothing tells it. Keys that were copied from a GPU,
// or computed for the graph, are no view of the cache.
static int64_t first_stream(const ggml_tensor *keys, const prefix_groups &known) {
	if (keys->ne[3] == known.streams()) {
		return 0; // all that there are
	}
	const bool of_cache = keys->view_src != nullptr && keys->view_src->op == GGML_OP_NONE;
	return of_cache ? (int64_t) (keys->view_offs / keys->nb[3]) : -1;
}

stream_groups::stream_groups(const flash_attn_op &op, const prefix_groups &known) {
	const int64_t streams = op.k->ne[3], cells = op.k->ne[1], base = first_stream(op.k, known);
	bool placed[flash_attn_op::max_streams] = {};
	int64_t n = 0;
	for (int64_t s = 0; s < streams; s++) {
		if (placed[s]) {
			continue;
		}
		stream_group one = {n, 1, 0};
		order[n++] = s;
		const int32_t prefix = base < 0 ? -1 : known.of(base + s);
		for (int64_t other = s + 1; other < streams && prefix >= 0; other++) {
			if (placed[other] || known.of(base + other) != prefix) {
				continue;
			}
			if (one.count == op.streams) {
				group[count++] = one;
				one = {n, 0, 0};
			}
			placed[other] = true;
			order[n++] = other;
			one.count++;
			one.shared = std::min<int64_t>(known.length(prefix), cells) / op.block_cells * op.block_cells;
		}
		group[count++] = one;
	}
}

} // namespace kernels
