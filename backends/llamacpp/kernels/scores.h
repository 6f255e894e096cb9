// Scores of a chunk of the cache, which become weights.
#pragma once

#include "attention_floats.h"
#include "reduce.h"
#include "softmax_sums.h"
#include "views.h"

namespace kernels::PROCTOR_LEVEL {

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
	to.peak[row] = peak;
	to.total[row] = weigh_scores(view, scores, peak);
}

} // namespace kernels::PROCTOR_LEVEL
