#include "cpu.h"

#ifdef PROCTOR_AMX
#define PROCTOR_LEVEL amx
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,amx-tile,amx-int8")

#include "avx512_vector.h"

#include "tile_products.h"

#include "mul_mat_for.h"
#endif
