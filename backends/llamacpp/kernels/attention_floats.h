// What attention multiplies: floats.
#pragma once

#include "cache_rows.h"
#include "reduce.h"
#include "softmax_sums.h"
#include "views.h"

namespace kernels::PROCTOR_LEVEL {

// Writes a query, scaled, and zeros up to size.
inline void put_query(const float *from, int64_t count, float scale, float *to, int64_t size) {
	for (int64_t i = 0; i < size; i++) {
		to[i] = i < count ? from[i] * scale : 0;
	}
}

// Makes weights of a row's scores, and returns their sum.
inline float weigh_scores(const chunk_view &view, float *scores, float peak) {
	f32x16 total[block_vectors];
	std::fill_n(total, block_vectors, zeros());
	for (const block_view &block : view) {
		for (int j = 0; j < block_vectors; j++) {
			float *at = scores + block.place + j * vector;
			const f32x16 weights = weights_of(sub(load(at), broadcast(peak)));
			total[j] = add(total[j], weights);
			store(at, weights);
		}
	}
	return reduce_add(add(add(total[0], total[1]), add(total[2], total[3])));
}

// Writes a block's rows, size values each; beyond what they have, and beyond its cells, are zeros.
template <class rows> void put_values(const rows &from, int64_t size, float *to) {
	for (int64_t i = 0; i < flash_attn_op::block_cells; i++, to += size) {
		for (int64_t j = 0; j < size; j += vector) {
			store(to + j, from.at(i, j));
		}
	}
}

// Writes a block's keys, transposed, size values each; those beyond its cells mean nothing. rows_memory has room for them.
template <class rows> void put_keys(const rows &from, int64_t size, float *rows_memory, float *to) {
	put_values(from, size, rows_memory);
	for (int64_t i = 0; i < flash_attn_op::block_cells; i += vector) {
		for (int64_t j = 0; j < size; j += vector) {
			transpose(rows_memory + i * size + j, size, to + j * flash_attn_op::block_cells + i, flash_attn_op::block_cells);
		}
	}
}

// Does so with halves: transposed first, as they are half as many bytes.
inline void put_keys(const half_rows &from, int64_t size, float *, float *to) {
	constexpr int64_t cells = flash_attn_op::block_cells;
	for (int64_t i = 0; i < from.cells.count; i += vector) {
		for (int64_t j = 0; j < size; j += 8) {
			__m256i value[8];
			load_transposed(from.cells, i, j, value);
			for (int64_t l = 0; l < 8; l++) {
				store(to + (j + l) * cells + i, f16_to_f32(value[l]));
			}
		}
	}
	for (int64_t j = 0; j < size && from.cells.count < cells; j++) {
		memset(to + j * cells + from.cells.count, 0, (cells - from.cells.count) * sizeof(float));
	}
}

// Makes a cell's values zeros.
inline void clear_values(float *values, int64_t size, int64_t cell) { memset(values + cell * size, 0, size * sizeof(float)); }

} // namespace kernels::PROCTOR_LEVEL
