// What a level's files take from outside. A level is a file that includes this, sets the compiler's target, and then includes
// everything that is made of its vectors (level_contract.h). That is compiled for the level's CPU, whatever flags the compiler
// was given, and runs only where level.cpp finds that the CPU can. The linker keeps one copy of an inline function, which must
// not be one for a wider CPU: so nothing from outside may come after the target, and what comes after it lies in the level's
// namespace.
#pragma once

// An index beyond a std::array ends the program, at the level that has it: not every machine computes at each level.
#define _GLIBCXX_ASSERTIONS

// gcc 12 warns of values that its intrinsics leave undefined on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

#define GGML_COMMON_DECL_C
#include "ggml-common.h"
#include "ggml-cpu-impl.h"
#include "ggml-cpu.h"
#include "ggml.h"

#include "compute_params.h"
#include "flash_attn_op.h"
#include "level.h"
#include "rope_angles.h"
#include "sizes.h"
