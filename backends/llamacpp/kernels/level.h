// What kernels there are: a level is what a kind of CPU computes with.
#pragma once

#include "flash_attn.h"
#include "mul_mat.h"

namespace kernels {

struct level {
	const char *name;
	bool (*available)(); // on this CPU

	// Returns what multiplies a matrix of weights; nullptr where nothing does.
	const mul_mat *(*mul_mat_for)(const ggml_tensor *weights);

	const flash_attn *(*attention)();
};

// Returns the levels, best first, up to one without a name.
const level *levels();

} // namespace kernels
