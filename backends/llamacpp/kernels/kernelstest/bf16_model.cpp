// Level bf16 with the vectors of level avx2 and with instructions for bf16 that are written in C++.
#include "../cpu.h"
#include "operations.h"

#ifdef PROCTOR_AVX2
#define PROCTOR_LEVEL bf16_model
#define PROCTOR_VECTORS "avx2_vector.h"
#define PROCTOR_BF16 "kernelstest/bf16_model.h"
#define PROCTOR_ATTENTION "attention_bf16.h"
#define PROCTOR_PRODUCTS "dot_products.h"
#define PROCTOR_DOT_PRODUCT "avx2_dot_product.h"
#include "../level_headers.h"
#pragma GCC target("avx2,fma,f16c")

#include "../flash_attn_of.h"

bool proctor_exchange_bf16_model(void) {
	static kernels::level other = {"bf16", 0, nullptr, kernels::bf16_model::attention, nullptr, true};
	return kernels::exchange(other);
}
#else
bool proctor_exchange_bf16_model(void) { return false; }
#endif
