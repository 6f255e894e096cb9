// What a CPU can do, and what code was compiled for.
#pragma once

#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 11
#error "gcc 11 or newer is needed for the kernels' instruction sets: install one and name it, as in CC=gcc-12 CXX=g++-12 make"
#endif

// The levels that the compiler makes code for where a file asks for it: gcc all of them, clang only those that its flags allow.
#if defined(__x86_64__)
#if !defined(__clang__) || (defined(__AVX2__) && defined(__FMA__) && defined(__F16C__))
#define PROCTOR_AVX2
#endif
#if defined(PROCTOR_AVX2) && (!defined(__clang__) || defined(__AVXVNNI__))
#define PROCTOR_AVXVNNI
#endif
#if defined(PROCTOR_AVX2) && \
	(!defined(__clang__) || \
		(defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)))
#define PROCTOR_AVX512
#endif
#if defined(PROCTOR_AVX512) && (!defined(__clang__) || (defined(__AMX_TILE__) && defined(__AMX_INT8__)))
#define PROCTOR_AMX
#endif
#endif

#if defined(__x86_64__)

// The instruction sets that a compiler uses unasked: name, the compiler's macro, where CPUID tells of it (leaf, subleaf,
// register, bit), and the state that the operating system has to keep (bits of XCR0). It may not keep that of AMX unless it is
// asked (AMX_PERMISSION).
#define PROCTOR_CPU_FEATURES(X) \
	X(SSE3, __SSE3__, 1, 0, ECX, 0, NONE) \
	X(SSSE3, __SSSE3__, 1, 0, ECX, 9, NONE) \
	X(SSE4_1, __SSE4_1__, 1, 0, ECX, 19, NONE) \
	X(SSE4_2, __SSE4_2__, 1, 0, ECX, 20, NONE) \
	X(SSE4A, __SSE4A__, 0x80000001, 0, ECX, 6, NONE) \
	X(MOVBE, __MOVBE__, 1, 0, ECX, 22, NONE) \
	X(POPCNT, __POPCNT__, 1, 0, ECX, 23, NONE) \
	X(LZCNT, __LZCNT__, 0x80000001, 0, ECX, 5, NONE) \
	X(BMI1, __BMI__, 7, 0, EBX, 3, NONE) \
	X(BMI2, __BMI2__, 7, 0, EBX, 8, NONE) \
	X(TBM, __TBM__, 0x80000001, 0, ECX, 21, NONE) \
	X(GFNI, __GFNI__, 7, 0, ECX, 8, NONE) \
	X(AVX, __AVX__, 1, 0, ECX, 28, YMM) \
	X(F16C, __F16C__, 1, 0, ECX, 29, YMM) \
	X(FMA, __FMA__, 1, 0, ECX, 12, YMM) \
	X(FMA4, __FMA4__, 0x80000001, 0, ECX, 16, YMM) \
	X(XOP, __XOP__, 0x80000001, 0, ECX, 11, YMM) \
	X(AVX2, __AVX2__, 7, 0, EBX, 5, YMM) \
	X(AVX_VNNI, __AVXVNNI__, 7, 1, EAX, 4, YMM) \
	X(AVX512F, __AVX512F__, 7, 0, EBX, 16, ZMM) \
	X(AVX512BW, __AVX512BW__, 7, 0, EBX, 30, ZMM) \
	X(AVX512CD, __AVX512CD__, 7, 0, EBX, 28, ZMM) \
	X(AVX512DQ, __AVX512DQ__, 7, 0, EBX, 17, ZMM) \
	X(AVX512VL, __AVX512VL__, 7, 0, EBX, 31, ZMM) \
	X(AVX512_VNNI, __AVX512VNNI__, 7, 0, ECX, 11, ZMM) \
	X(AVX512_IFMA, __AVX512IFMA__, 7, 0, EBX, 21, ZMM) \
	X(AVX512_VBMI, __AVX512VBMI__, 7, 0, ECX, 1, ZMM) \
	X(AVX512_VBMI2, __AVX512VBMI2__, 7, 0, ECX, 6, ZMM) \
	X(AVX512_BITALG, __AVX512BITALG__, 7, 0, ECX, 12, ZMM) \
	X(AVX512_VPOPCNTDQ, __AVX512VPOPCNTDQ__, 7, 0, ECX, 14, ZMM) \
	X(AVX512_BF16, __AVX512BF16__, 7, 1, EAX, 5, ZMM) \
	X(AVX512_FP16, __AVX512FP16__, 7, 0, EDX, 23, ZMM) \
	X(AMX_TILE, __AMX_TILE__, 7, 0, EDX, 24, NONE) \
	X(AMX_INT8, __AMX_INT8__, 7, 0, EDX, 25, NONE) \
	X(AMX_BF16, __AMX_BF16__, 7, 0, EDX, 22, NONE) \
	X(AMX_PERMISSION, __AMX_TILE__, 0xd, 0, EAX, 18, TMM)

#elif defined(__aarch64__) && defined(__linux__)

// The extensions that a compiler uses unasked, or ggml where it may, by Arm's names: name, the compiler's macro (one that the
// Makefile does not undefine), and where the kernel tells of it (which of its words, bit).
#define PROCTOR_CPU_FEATURES(X) \
	X(CRC32, __ARM_FEATURE_CRC32, AT_HWCAP, 7) \
	X(LSE, __ARM_FEATURE_ATOMICS, AT_HWCAP, 8) \
	X(FP16, __ARM_FEATURE_FP16_SCALAR_ARITHMETIC, AT_HWCAP, 10) \
	X(RDM, __ARM_FEATURE_QRDMX, AT_HWCAP, 12) \
	X(FCMA, __ARM_FEATURE_COMPLEX, AT_HWCAP, 14) \
	X(DOTPROD, __ARM_FEATURE_DOTPROD, AT_HWCAP, 20) \
	X(SVE, __ARM_FEATURE_SVE_VECTOR_OPERATORS, AT_HWCAP, 22) \
	X(SVE2, __ARM_FEATURE_SVE2, AT_HWCAP2, 1) \
	X(I8MM, __ARM_FEATURE_MATMUL_INT8, AT_HWCAP2, 13) \
	X(BF16, __ARM_FEATURE_BF16_VECTOR_ARITHMETIC, AT_HWCAP2, 14) \
	X(SME, __ARM_FEATURE_SME, AT_HWCAP2, 23)

#endif

#ifdef PROCTOR_CPU_FEATURES

#define PROCTOR_CPU_INDEX(name, ...) PROCTOR_CPU_INDEX_##name,
enum { PROCTOR_CPU_FEATURES(PROCTOR_CPU_INDEX) PROCTOR_CPU_COUNT };

// The bit of a feature in a set of them.
#define PROCTOR_CPU(name) ((uint64_t) 1 << PROCTOR_CPU_INDEX_##name)

// The set of features that this file is compiled for. A macro that is defined is 1, one that is not is its own longer name.
#define PROCTOR_CPU_SPELLING(macro) #macro
#define PROCTOR_CPU_DEFINED(name, macro, ...) | (sizeof(PROCTOR_CPU_SPELLING(macro)) == sizeof "1" ? PROCTOR_CPU(name) : 0)
#define PROCTOR_CPU_COMPILED ((uint64_t) 0 PROCTOR_CPU_FEATURES(PROCTOR_CPU_DEFINED))

#ifdef __cplusplus
extern "C" {
#endif

// The set of features that C++ files are compiled for, whose flags may differ from those of C files.
extern const uint64_t proctor_cpu_compiled_cxx;

// Returns the set of features that this CPU has and the operating system lets it use.
uint64_t proctor_cpu_features(void);

#ifdef __cplusplus
}
#endif

#endif
