// Writes rows of a quantised cache, in the format that ggml has: as its reference rounds them, so that no bit depends on the CPU.
#pragma once

#include "attached.h"
#include "flash_attn_op.h"
#include "rotate.h"

namespace kernels::PROCTOR_LEVEL {

// Says whether a GGML_OP_SET_ROWS writes to quantised keys or values of llama.cpp's cache, which go by these names.
inline bool writes_cache(const ggml_tensor *op, const char *name) {
	return ggml_is_quantized(op->type) && op->src[0]->type == GGML_TYPE_F32 && op->ne[2] == 1 && op->ne[3] == 1 &&
		op->view_src != nullptr && strncmp(op->view_src->name, name, strlen(name)) == 0;
}
inline bool writes_keys(const ggml_tensor *op) { return writes_cache(op, "cache_k_l"); }
inline bool writes_values(const ggml_tensor *op) { return writes_cache(op, "cache_v_l"); }

// All threads call it: each takes pieces of rows, as a token's alone are to occupy all.
inline void set_rows(const compute_params *params, ggml_tensor *op) {
	constexpr int64_t most = 1024; // whole blocks of a rotation, and of a format
	float piece[most];
	const ggml_tensor *rows = op->src[0], *places = op->src[1];
	const int64_t size = writes_keys(op) ? params->cache->rotates.keys : params->cache->rotates.values;
	const auto quantise = ggml_get_type_traits(op->type)->from_float_ref;
	const int64_t in_row = (op->ne[0] + most - 1) / most;
	for (int64_t i = params->ith; i < in_row * rows->ne[1]; i += params->nth) {
		const int64_t row = i / in_row, first = i % in_row * most, count = std::min(op->ne[0] - first, most);
		const char *of = (const char *) places->data + row * places->nb[0];
		const int64_t place = places->type == GGML_TYPE_I64 ? *(const int64_t *) of : *(const int32_t *) of;
		memcpy(piece, tensor_at<float>(rows, row, 0, 0) + first, count * sizeof *piece);
		rotate(piece, count, size);
		char *to = (char *) op->data + place * op->nb[1] + ggml_row_size(op->type, first);
		quantise(piece, to, count);
	}
}

} // namespace kernels::PROCTOR_LEVEL
