#include "cpu.h"

#ifdef PROCTOR_AVX2
#define PROCTOR_LEVEL avx2
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c")

#include "avx2_dot_product.h"

#include "dot_products.h"

#include "flash_attn_of.h"
#include "mul_mat_for.h"
#include "operation_for.h"
#endif
