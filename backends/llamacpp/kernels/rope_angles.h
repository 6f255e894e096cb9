// Cosines and sines of rotary positions: https://arxiv.org/abs/2104.09864.
#pragma once

#include <cstdint>

struct ggml_tensor;

namespace kernels {

// A GGML_OP_ROPE of pairs of values, those side by side or those half a head apart.
struct rope_op {
	int64_t size; // of a head's values, those that are turned
	bool halves;  // a value's other one is half of them away, not beside it

	explicit rope_op(const ggml_tensor *op);

	// How many cosines turn a token's values, and as many sines.
	int64_t angles() const { return halves ? size / 2 : size; }

	// Says whether an operation is one, of floats. Models of images turn by several positions of a token.
	static bool takes(const ggml_tensor *op);
};

// Returns the cosines and sines by which an operation turns the values of tokens first … end - 1: of each token angles() of the
// one, and then as many of the other. Where pairs lie side by side, both of a pair have theirs, the first one's sine negative. A
// thread keeps them: the layers of a model turn by the same ones. They last until it asks again.
const float *rope_angles_of(const ggml_tensor *op, int64_t first, int64_t end);

} // namespace kernels
