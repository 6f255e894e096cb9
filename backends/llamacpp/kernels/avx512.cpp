#include "cpu.h"

#ifdef PROCTOR_AVX512
#define PROCTOR_LEVEL avx512
#define PROCTOR_VECTORS "avx512_vector.h"
#define PROCTOR_PRODUCTS "dot_products.h"
#define PROCTOR_DOT_PRODUCT "avx512_dot_product.h"
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")

#include "flash_attn_of.h"
#include "mul_mat_of.h"
#include "operation_for.h"
#include "reductions_of.h"
#endif
