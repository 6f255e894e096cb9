// Gated linear units: https://arxiv.org/abs/2002.05202.
#pragma once

#include "elements.h"

namespace kernels::PROCTOR_LEVEL {

struct swiglu_of {
	explicit swiglu_of(const ggml_tensor *) {}
	f32x16 of(f32x16 x, f32x16 gate) const { return mul(silu(x, broadcast(1)), gate); }
};

// That of gpt-oss, whose values are bounded.
struct swiglu_oai_of {
	float alpha, limit;

	explicit swiglu_oai_of(const ggml_tensor *op) {
		memcpy(&alpha, op->op_params + 2, sizeof alpha);
		memcpy(&limit, op->op_params + 3, sizeof limit);
	}
	f32x16 of(f32x16 x, f32x16 gate) const {
		const f32x16 most = broadcast(limit), bounded = min(most, max(broadcast(-limit), gate));
		const f32x16 active = silu(min(most, x), broadcast(alpha));
		return mul(active, add(bounded, broadcast(1)));
	}
};

template <class function> struct glu_of {
	const ggml_tensor *op;
	const function f;

	void operator()(const row_part &part) const {
		int32_t swapped;
		memcpy(&swapped, op->op_params + 1, sizeof swapped);
		const ggml_tensor *x = op->src[0], *gate = op->src[1] != nullptr ? op->src[1] : x;
		const float *from = part.to(x) + (op->src[1] == nullptr && swapped ? op->ne[0] : 0);
		const float *gates = part.to(gate) + (op->src[1] == nullptr && !swapped ? op->ne[0] : 0);
		float *to = part.to(op);
		for (int64_t i = part.first; i < part.end; i += vector) {
			const int64_t count = part.end - i;
			store_first(to + i, f.of(load_first(from + i, count), load_first(gates + i, count)), count);
		}
	}

	// Computes a GGML_OP_GLU of rows of floats. All threads call it.
	static void compute(const compute_params *params, ggml_tensor *op) { each_part(params, op, glu_of{op, function(op)}); }
};

// Returns what computes a GGML_OP_GLU; nullptr where that is ggml's: it takes GELU from a table of halves, on every CPU.
inline operation glu_for(const ggml_tensor *op) {
	if (!has_rows_of_floats(op) || !has_rows_of_floats(op->src[0]) ||
		(op->src[1] != nullptr && !has_rows_of_floats(op->src[1]))) {
		return nullptr;
	}
	switch (ggml_get_glu_op(op)) {
	case GGML_GLU_OP_SWIGLU: return glu_of<swiglu_of>::compute;
	case GGML_GLU_OP_SWIGLU_OAI: return glu_of<swiglu_oai_of>::compute;
	default: return nullptr;
	}
}

} // namespace kernels::PROCTOR_LEVEL
