// Functions of single values.
#pragma once

#include "elements.h"

namespace kernels::PROCTOR_LEVEL {

// A function of values; its own type, as what a level inlines has to be compiled for it.
struct silu_of {
	static f32x16 of(f32x16 x) { return silu(x, broadcast(1)); }
};
struct sigmoid_of {
	static f32x16 of(f32x16 x) { return sigmoid(x); }
};
struct tanh_of {
	static f32x16 of(f32x16 x) { return tanh_any(x); }
};
struct exp_of {
	static f32x16 of(f32x16 x) { return exp_any(x); }
};
struct softplus_of {
	static f32x16 of(f32x16 x) { return softplus(x); }
};

template <class function> struct unary_of {
	const ggml_tensor *op;

	void operator()(const row_part &part) const {
		const float *from = part.to(op->src[0]);
		float *to = part.to(op);
		for (int64_t i = part.first; i < part.end; i += vector) {
			store_first(to + i, function::of(load_first(from + i, part.end - i)), part.end - i);
		}
	}

	// Computes a GGML_OP_UNARY of rows of floats. All threads call it.
	static void compute(const compute_params *params, ggml_tensor *op) { each_part(params, op, unary_of{op}); }
};

// Returns what computes a GGML_OP_UNARY; nullptr where that is ggml's, as what is exact, or rounded by libm.c, without vectors.
inline operation unary_for(const ggml_tensor *op) {
	if (!has_rows_of_floats(op) || !has_rows_of_floats(op->src[0])) {
		return nullptr;
	}
	switch (ggml_get_unary_op(op)) {
	case GGML_UNARY_OP_SILU: return unary_of<silu_of>::compute;
	case GGML_UNARY_OP_SIGMOID: return unary_of<sigmoid_of>::compute;
	case GGML_UNARY_OP_TANH: return unary_of<tanh_of>::compute;
	case GGML_UNARY_OP_EXP: return unary_of<exp_of>::compute;
	case GGML_UNARY_OP_SOFTPLUS: return unary_of<softplus_of>::compute;
	default: return nullptr;
	}
}

} // namespace kernels::PROCTOR_LEVEL
