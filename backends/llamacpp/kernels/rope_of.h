// Rotary positions.
#pragma once

#include "level_contract.h"
#include "rope_angles.h"

namespace kernels::PROCTOR_LEVEL {

// Turns a head's values.
inline void turn(const rope_op &rope, const float *from, const float *cosines, const float *sines, float *to) {
	if (!rope.halves) {
		for (int64_t i = 0; i < rope.size; i += vector) {
			const int64_t count = rope.size - i;
			const f32x16 v = load_first(from + i, count), same = mul(v, load_first(cosines + i, count));
			store_first(to + i, fmadd(swap_lanes<1>(v), load_first(sines + i, count), same), count);
		}
		return;
	}
	const int64_t half = rope.size / 2;
	for (int64_t i = 0; i < half; i += vector) {
		const int64_t count = half - i;
		const f32x16 a = load_first(from + i, count), b = load_first(from + half + i, count);
		const f32x16 cosine = load_first(cosines + i, count), sine = load_first(sines + i, count);
		store_first(to + i, fnmadd(b, sine, mul(a, cosine)), count);
		store_first(to + half + i, fmadd(a, sine, mul(b, cosine)), count);
	}
}

// Computes a GGML_OP_ROPE that rope_op takes. All threads call it, each for some tokens.
void rope(const compute_params *params, ggml_tensor *op) {
	const rope_op one(op);
	const int64_t tokens = op->ne[2], first = tokens * params->ith / params->nth, end = tokens * (params->ith + 1) / params->nth;
	const float *angles = rope_angles_of(op, first, end);
	for (int64_t i3 = 0; i3 < op->ne[3]; i3++) {
		for (int64_t i2 = first; i2 < end; i2++) {
			const float *cosines = angles + 2 * one.angles() * (i2 - first), *sines = cosines + one.angles();
			for (int64_t i1 = 0; i1 < op->ne[1]; i1++) {
				const float *from = tensor_at<float>(op->src[0], i1, i2, i3);
				float *to = const_cast<float *>(tensor_at<float>(op, i1, i2, i3));
				turn(one, from, cosines, sines, to);
				if (to != from) {
					std::copy(from + one.size, from + op->ne[0], to + one.size);
				}
			}
		}
	}
}

} // namespace kernels::PROCTOR_LEVEL
