// What kernels there are: a level is what a kind of CPU computes with.
#pragma once

#include "flash_attn.h"
#include "mul_mat.h"

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

	// It is for prompts' tokens alone, and has other bits, so it computes only where the user names it. What it leaves nullptr is
	// computed with the level of all tokens.
	bool prompts = false;
};

// Returns what a level of prompts multiplies a matrix of weights with; nullptr where nothing does.
inline const mul_mat *products_of(const level &prompts, const ggml_tensor *weights) {
	return prompts.mul_mat_for == nullptr ? nullptr : prompts.mul_mat_for(weights);
}

// Returns the levels, best first, up to one without a name.
const level *levels();

// Exchanges a level with the one of its name, if there is one; for tests on a CPU that lacks what that needs.
bool exchange(level &with);

// Adds a level to ggml, or takes another one. Not while a model is loaded.
void install(const level &computes);

// Says whether this CPU unpacks weights while it multiplies others with 512 bits, as AMD's do, which have other units for that. Time
// alone depends on it.
bool unpacks_beside_products();

// Returns the name of the n-th feature that this CPU lacks for a level; nullptr beyond the last.
const char *lacking(const level &level, int n);

} // namespace kernels
