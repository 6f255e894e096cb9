#include "cpu.h"

#ifdef PROCTOR_AMX_BF16
#define PROCTOR_LEVEL amx_bf16
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,amx-tile,amx-int8,amx-bf16")

#include "avx512_vector.h"

#include "tile_products.h"

#include "bf16_products.h"
#endif
