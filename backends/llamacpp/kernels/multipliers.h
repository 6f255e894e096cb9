// Which level multiplies. All have the same bits and pack weights alike, so time may choose, and the number of columns decides: on
// a Zen 4, avx2 is faster with some columns and avx512 with one; on an Emerald Rapids in a virtual machine, avx512 is always faster
// than amx, 4.7 times with a single column.
#pragma once

struct ggml_tensor;

namespace kernels {

struct level;

// Returns the level that computes a GGML_OP_MUL_MAT or a GGML_OP_MUL_MAT_ID.
const level &multiplier_of(const ggml_tensor *op);

// Sets the level that multiplies any number of columns, until others are measured or set.
void multiply_with(const level &all);

} // namespace kernels
