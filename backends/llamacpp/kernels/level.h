// What kernels there are: a level is what a kind of CPU computes with.
#pragma once

#include "flash_attn.h"
#include "mul_mat.h"
#include "reductions.h"

#include <cstdint>

namespace kernels {

// Computes an operation. All threads call it.
using operation = void (*)(const compute_params *params, ggml_tensor *op);

struct level {
	const char *name;
	uint64_t needs; // the CPU features that it computes with, a set as in cpu.h

	// Returns what multiplies a matrix of weights; nullptr where nothing does.
	const mul_mat *(*mul_mat_for)(const ggml_tensor *weights);

	const flash_attn *(*attention)();

	// Returns what computes an operation that is neither; nullptr where that is ggml's.
	operation (*operation_for)(const ggml_tensor *op);

	const reductions *reduces;
};

// Returns the levels, best first, up to one without a name.
const level *levels();

// Adds a level to ggml, or takes another one. Not while a model is loaded.
void install(const level &computes);

// Says whether this CPU unpacks weights while it multiplies others with 512 bits, as AMD's do, which have other units for that. Time
// alone depends on it.
bool unpacks_beside_products();

// Returns the name of the n-th feature that this CPU lacks for a level; nullptr beyond the last.
const char *lacking(const level &level, int n);

} // namespace kernels
