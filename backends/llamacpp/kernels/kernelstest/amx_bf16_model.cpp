// Level amx-bf16 with the vectors of level avx2 and with tile instructions that are written in C++.
#include "../cpu.h"
#include "operations.h"

#ifdef PROCTOR_AVX2
#define PROCTOR_LEVEL amx_bf16_model
#define PROCTOR_VECTORS "avx2_vector.h"
#define PROCTOR_PRODUCTS "tile_products.h"
#include "../level_headers.h"

#include "tile_model.h"
#pragma GCC target("avx2,fma,f16c")

#include "../bf16_products.h"

bool proctor_exchange_amx_bf16_model(void) {
	static kernels::level other = {"amx-bf16", 0, kernels::amx_bf16_model::mul_mat_for, nullptr, nullptr, true};
	return kernels::exchange(other);
}
#else
bool proctor_exchange_amx_bf16_model(void) { return false; }
#endif
