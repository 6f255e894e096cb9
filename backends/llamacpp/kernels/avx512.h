// The kernels for CPUs that have AVX-512 with VNNI.
#pragma once

#include "flash_attn.h"
#include "mul_mat.h"

namespace kernels::avx512 {

const mul_mat *mul_mat_for(const ggml_tensor *weights);
const flash_attn *attention();

} // namespace kernels::avx512
