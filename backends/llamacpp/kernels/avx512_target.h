// Everything after this include is compiled for AVX-512 with VNNI, whatever flags the compiler was given: code that runs only
// where level.cpp finds that the CPU can. So it comes after the headers of the standard library and of ggml: the linker keeps
// one copy of an inline function, and that must not be one for AVX-512. For the same reason what comes after it lies in
// namespace kernels::avx512.
#pragma once

#include <immintrin.h>

#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")

namespace kernels::avx512 {

// Returns which of a vector's floats are NaNs or infinite.
inline __mmask16 non_finite(__m512 v) { return _mm512_fpclass_ps_mask(v, 0x99); }

} // namespace kernels::avx512
