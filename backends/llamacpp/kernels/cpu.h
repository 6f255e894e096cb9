// Says whether the kernels are compiled for this CPU.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
#define PROCTOR_KERNELS
#endif
