#include "cpu.h"

#ifdef PROCTOR_AMX
#define PROCTOR_LEVEL amx
#define PROCTOR_VECTORS "avx512_vector.h"
#define PROCTOR_PRODUCTS "tile_products.h"
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,amx-tile,amx-int8")

#include "mul_mat_of.h"
#endif
