#include "cpu.h"

#ifdef PROCTOR_BF16_PAIRS
#define PROCTOR_LEVEL bf16_attention
#define PROCTOR_VECTORS "avx512_vector.h"
#define PROCTOR_BF16 "avx512_bf16.h"
#define PROCTOR_ATTENTION "attention_bf16.h"
#define PROCTOR_PRODUCTS "dot_products.h"
#define PROCTOR_DOT_PRODUCT "avx512_dot_product.h"
#include "level_headers.h"
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16")

#include "flash_attn_of.h"
#endif
