// A level's products: quantised weights with activations of 8 bits, floats with activations as they are.
#pragma once

#include "mul_mat_of.h"

namespace kernels::PROCTOR_LEVEL {

const mul_mat *mul_mat_for(const ggml_tensor *weights) {
	return by_type<quants, floats<f32>, floats<f16>, floats<bf16>>(weights);
}

} // namespace kernels::PROCTOR_LEVEL
