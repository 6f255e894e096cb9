// Level amx with the vectors of level avx2 and with tile instructions that are written in C++.
#include "../cpu.h"
#include "operations.h"

#ifdef PROCTOR_AVX2
#define PROCTOR_LEVEL amx_model
#define PROCTOR_VECTORS "avx2_vector.h"
#define PROCTOR_PRODUCTS "tile_products.h"
#include "../level_headers.h"

#include "tile_model.h"
#pragma GCC target("avx2,fma,f16c")

#include "../mul_mat_of.h"

namespace kernels::avx2 {
const flash_attn *attention();
operation operation_for(const ggml_tensor *op);
extern const reductions reduces;
} // namespace kernels::avx2

bool proctor_use_amx_model(void) {
	namespace avx2 = kernels::avx2;
	static const kernels::level model = {
		"amx_model", 0, kernels::amx_model::mul_mat_for, avx2::attention, avx2::operation_for, &avx2::reduces};
	kernels::install(model);
	return true;
}
#else
bool proctor_use_amx_model(void) { return false; }
#endif
