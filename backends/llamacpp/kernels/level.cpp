#include "level.h"

#include "avx512.h"
#include "cpu.h"

namespace kernels {
namespace {

#ifdef PROCTOR_AVX512
bool has_avx512() {
	const uint64_t needs = PROCTOR_CPU(AVX2) | PROCTOR_CPU(FMA) | PROCTOR_CPU(F16C) | PROCTOR_CPU(AVX512F) | PROCTOR_CPU(AVX512BW) |
		PROCTOR_CPU(AVX512DQ) | PROCTOR_CPU(AVX512VL) | PROCTOR_CPU(AVX512_VNNI);
	return (proctor_cpu_features() & needs) == needs;
}
#endif

} // namespace

const level *levels() {
	static const level all[] = {
#ifdef PROCTOR_AVX512
		{"avx512", has_avx512, avx512::mul_mat_for, avx512::attention},
#endif
		{},
	};
	return all;
}

} // namespace kernels
