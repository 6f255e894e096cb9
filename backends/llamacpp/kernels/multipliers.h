// Which level multiplies. All have the same bits and pack weights alike, so time may choose, by the weights' type and the number of
// columns: on a Zen 4, avx2 is faster with some columns and avx512 with one; on an Emerald Rapids in a virtual machine, avx512 was
// faster than amx throughout, 4.7 times with a single column.
#pragma once

struct ggml_tensor;

namespace kernels {

struct level;

// Returns the level that computes a GGML_OP_MUL_MAT or a GGML_OP_MUL_MAT_ID.
const level &multiplier_of(const ggml_tensor *op);

// Sets the level that multiplies all weights, until others are measured or set.
void multiply_with(const level &all);

// Chooses what multiplies weights like these, which have been packed, unless others of their type were before.
void choose_multipliers(const ggml_tensor *packed);

} // namespace kernels
