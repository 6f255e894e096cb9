#include "level.h"

#include "avx512.h"
#include "cpu.h"

namespace kernels {
namespace {

#ifdef PROCTOR_AVX512
constexpr uint64_t avx512_needs = PROCTOR_CPU(AVX2) | PROCTOR_CPU(FMA) | PROCTOR_CPU(F16C) | PROCTOR_CPU(AVX512F) |
	PROCTOR_CPU(AVX512BW) | PROCTOR_CPU(AVX512DQ) | PROCTOR_CPU(AVX512VL) | PROCTOR_CPU(AVX512_VNNI);
#endif

} // namespace

const level *levels() {
	static const level all[] = {
#ifdef PROCTOR_AVX512
		{"avx512", avx512_needs, avx512::mul_mat_for, avx512::attention},
#endif
		{},
	};
	return all;
}

const char *lacking(const level &level, int n) {
#if defined(__x86_64__)
#define NAME(name, ...) #name,
	static const char *const names[] = {PROCTOR_CPU_FEATURES(NAME)};
	const uint64_t lacks = level.needs & ~proctor_cpu_features();
	for (int i = 0; i < PROCTOR_CPU_COUNT; i++) {
		if ((lacks >> i & 1) && n-- == 0) {
			return names[i];
		}
	}
#endif
	return nullptr;
}

} // namespace kernels
