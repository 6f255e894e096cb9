// The first thing that a program does which contains the kernels: it looks whether this CPU has what it was compiled for.
// A program that was copied from another machine would die of an illegal instruction else, before it could say why.
#include "cpu.h"

#ifdef PROCTOR_CPU_FEATURES

static const uint64_t compiled_c = PROCTOR_CPU_COMPILED;

// What the portable build needs (the Makefile), and from here on nothing that every CPU of 64 bits does not have, whatever the
// flags; also in the headers' inline functions. The set above has to come before, as this changes the macros.
#if defined(__x86_64__)
static const uint64_t portable = PROCTOR_CPU(SSE3) | PROCTOR_CPU(SSSE3) | PROCTOR_CPU(SSE4_1) | PROCTOR_CPU(SSE4_2) |
	PROCTOR_CPU(MOVBE) | PROCTOR_CPU(POPCNT) | PROCTOR_CPU(LZCNT) | PROCTOR_CPU(BMI1) | PROCTOR_CPU(BMI2) | PROCTOR_CPU(AVX) |
	PROCTOR_CPU(F16C) | PROCTOR_CPU(FMA) | PROCTOR_CPU(AVX2);
#pragma GCC target("arch=x86-64")
#include <cpuid.h>
#else
static const uint64_t portable = PROCTOR_CPU(CRC32) | PROCTOR_CPU(LSE) | PROCTOR_CPU(RDM) | PROCTOR_CPU(DOTPROD);
#pragma GCC target("arch=armv8-a")
#include <sys/auxv.h>
#endif

#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#if defined(__x86_64__)

enum { EAX, EBX, ECX, EDX };
enum { NONE = 0, YMM = 0x06, ZMM = 0xe6, TMM = 0x60000 }; // bits of XCR0: SSE and AVX, with AVX-512, tiles

struct feature {
	const char *name;
	unsigned leaf, subleaf, at, bit, state;
};

#define FEATURE(name, macro, leaf, subleaf, at, bit, state) {#name, leaf, subleaf, at, bit, state},
static const struct feature features[] = {PROCTOR_CPU_FEATURES(FEATURE)};

// Returns the state that the operating system keeps of each thread, as bits of XCR0.
static unsigned state_kept(void) {
	unsigned r[4] = {0};
	const unsigned osxsave = 1u << 27;
	if (!__get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) || !(r[ECX] & osxsave)) {
		return 0;
	}
	__asm__("xgetbv" : "=a"(r[EAX]), "=d"(r[EDX]) : "c"(0));
	return r[EAX];
}

// Says whether Linux keeps the tiles of AMX for this process, which has to ask for it: all threads are then allowed to use them.
// https://docs.kernel.org/arch/x86/xstate.html
static int tiles_permitted(void) {
#if defined(__linux__)
	enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
	return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
	return 0;
#endif
}

static uint64_t find_features(void) {
	const unsigned kept = state_kept();
	uint64_t set = 0;
	for (int i = 0; i < PROCTOR_CPU_COUNT; i++) {
		const struct feature *f = &features[i];
		unsigned r[4] = {0};
		// Of a leaf with subleaves, EAX of the first is the last one's number.
		if (f->subleaf > 0 && (!__get_cpuid_count(f->leaf, 0, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) || r[EAX] < f->subleaf)) {
			continue;
		}
		if (!__get_cpuid_count(f->leaf, f->subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX])) {
			continue;
		}
		const int has = r[f->at] >> f->bit & 1 && (kept & f->state) == f->state;
		if (has && (f->state != TMM || tiles_permitted())) {
			set |= (uint64_t) 1 << i;
		}
	}
	return set;
}

#else

struct feature {
	const char *name;
	unsigned long word, bit;
};

#define FEATURE(name, macro, word, bit) {#name, word, bit},
static const struct feature features[] = {PROCTOR_CPU_FEATURES(FEATURE)};

static uint64_t find_features(void) {
	uint64_t set = 0;
	for (int i = 0; i < PROCTOR_CPU_COUNT; i++) {
		set |= (uint64_t) (getauxval(features[i].word) >> features[i].bit & 1) << i;
	}
	return set;
}

#endif

static uint64_t found; // asking takes long where a virtual machine answers

uint64_t proctor_cpu_features(void) { return found; }

static void say(const char *text) {
	if (write(STDERR_FILENO, text, strlen(text)) < 0) {
		_exit(2);
	}
}

// Runs before any other initialiser of the program, C++'s and Go's. Those of shared libraries have run, which are not ours.
__attribute__((constructor(101))) static void check_cpu(void) {
	found = find_features();
	const uint64_t missing = (compiled_c | proctor_cpu_compiled_cxx) & ~found;
	if (missing == 0) {
		return;
	}
	say("proctor: this program was built for another CPU: this machine lacks ");
	const char *separator = "";
	for (int i = 0; i < PROCTOR_CPU_COUNT; i++) {
		if (missing >> i & 1) {
			say(separator);
			say(features[i].name);
			separator = ", ";
		}
	}
	say("; build it on this machine with make");
	if ((portable & missing) == 0) {
		say(", or take the portable build (make build PORTABLE=1)");
	}
	say("\n");
	_exit(2);
}

#endif
