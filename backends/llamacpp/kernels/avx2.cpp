#include "cpu.h"

#ifdef PROCTOR_AVX2
#define PROCTOR_LEVEL avx2
#define PROCTOR_VECTORS "avx2_vector.h"
#define PROCTOR_PRODUCTS "dot_products.h"
#define PROCTOR_DOT_PRODUCT "avx2_dot_product.h"
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c")

#include "flash_attn_of.h"
#include "mul_mat_of.h"
#include "operation_for.h"
#include "reductions_of.h"
#endif
