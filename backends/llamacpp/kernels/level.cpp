#include "level.h"

#include "cpu.h"

// Declares what a level's files define.
#define DECLARE(level) \
	namespace kernels::level { \
	const mul_mat *mul_mat_for(const ggml_tensor *weights); \
	const flash_attn *attention(); \
	operation operation_for(const ggml_tensor *op); \
	extern const reductions reduces; \
	}
DECLARE(amx)
DECLARE(avx512)
DECLARE(avxvnni)
DECLARE(avx2)

namespace kernels {

const level *levels() {
#ifdef PROCTOR_AVX2
	constexpr uint64_t avx2_needs = PROCTOR_CPU(AVX2) | PROCTOR_CPU(FMA) | PROCTOR_CPU(F16C);
#endif
#ifdef PROCTOR_AVX512
	constexpr uint64_t avx512_needs = avx2_needs | PROCTOR_CPU(AVX512F) | PROCTOR_CPU(AVX512BW) | PROCTOR_CPU(AVX512DQ) |
		PROCTOR_CPU(AVX512VL) | PROCTOR_CPU(AVX512_VNNI);
#endif
#ifdef PROCTOR_AMX
	constexpr uint64_t amx_needs = avx512_needs | PROCTOR_CPU(AMX_TILE) | PROCTOR_CPU(AMX_INT8) | PROCTOR_CPU(AMX_PERMISSION);
#endif
	static const level all[] = {
#ifdef PROCTOR_AMX
		{"amx", amx_needs, amx::mul_mat_for, avx512::attention, avx512::operation_for, &avx512::reduces},
#endif
#ifdef PROCTOR_AVX512
		{"avx512", avx512_needs, avx512::mul_mat_for, avx512::attention, avx512::operation_for, &avx512::reduces},
#endif
#ifdef PROCTOR_AVXVNNI
		{"avxvnni", avx2_needs | PROCTOR_CPU(AVX_VNNI), avxvnni::mul_mat_for, avxvnni::attention, avxvnni::operation_for,
			&avx2::reduces},
#endif
#ifdef PROCTOR_AVX2
		{"avx2", avx2_needs, avx2::mul_mat_for, avx2::attention, avx2::operation_for, &avx2::reduces},
#endif
		{},
	};
	return all;
}

bool unpacks_beside_products() {
#if defined(__x86_64__)
	static const bool amd = (__builtin_cpu_init(), __builtin_cpu_is("amd"));
	return amd;
#else
	return false;
#endif
}

const char *lacking(const level &level, int n) {
#ifdef PROCTOR_CPU_FEATURES
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
