#include "cpu.h"

#ifdef PROCTOR_AVX512
#define PROCTOR_LEVEL avx512
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")

#include "avx512_dot_product.h"

#include "dot_products.h"

#include "flash_attn_of.h"
#include "mul_mat_for.h"
#include "operation_for.h"
#endif
