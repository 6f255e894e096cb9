// What attention multiplies at level bf16: pairs of bf16, whose products an instruction adds to a float, that of the second ones
// first. A pair has values that lie sixteen apart, of a query and of a key, or the weights of two cells and these cells' values.
#pragma once

#include "level_contract.h"

#include PROCTOR_BF16

#include "cache_rows.h"
#include "reduce.h"
#include "softmax_sums.h"
#include "views.h"

namespace kernels::PROCTOR_LEVEL {

constexpr int attended_values = 2; // in the place of a float

struct attention_products {
	static f32x16 add(f32x16 a, f32x16 b, f32x16 sum) { return add_bf16_products(a, b, sum); }
};

// Number of these places that a row of values fills, in whole vectors: a place holds two values.
inline int64_t places_of(int64_t size) { return (size + 2 * vector - 1) / (2 * vector) * vector; }

// Writes a query, scaled, and zeros up to size.
inline void put_query(const float *from, int64_t count, float scale, float *to, int64_t size) {
	for (int64_t i = 0; i < size; i += 2 * vector, to += vector) {
		const f32x16 first = load_first(from + i, count - i);
		const f32x16 second = i + vector < count ? load_first(from + i + vector, count - i - vector) : zeros();
		store(to, bf16_pairs(mul(first, broadcast(scale)), mul(second, broadcast(scale))));
	}
}

// Computes 2 to the power of values, off by less than a ten-thousandth, a twentieth of what rounding to bf16 is. Far below 1 they are 0.
inline f32x16 rough_power_of_2(f32x16 x) {
	constexpr float cutoff = -100;
	const f32x16 whole = floor(x), part = sub(x, whole);
	f32x16 p = broadcast(0x1.3f96a4p-4f);
	constexpr float next_power[] = {0x1.cefc4cp-3f, 0x1.64444cp-1f, 0x1.fff632p-1f};
	for (float next : next_power) {
		p = fmadd(p, part, broadcast(next));
	}
	return select(above(x, broadcast(cutoff)), scale_by_power_of_2(p, whole), zeros());
}

// Where a row of queries has its weights of a pair of cells and those after it.
inline float *weights_in(float *scores, int64_t cell) { return scores + cell / 2; }

// Makes weights of a row's scores, and returns their sum, as they are rounded.
inline float weigh_scores(const chunk_view &view, float *scores, float peak) {
	constexpr float log2_e = 0x1.715476p+0f;
	const f32x16 factor = broadcast(log2_e), highest = mul(broadcast(peak), factor), one = broadcast(1);
	const f32x16 ones = bf16_pairs(one, one);
	f32x16 total[block_vectors / 2] = {zeros(), zeros()};
	for (const block_view &block : view) {
		for (int j = 0; j < block_vectors / 2; j++) {
			const float *at = scores + block.place + 2 * j * vector;
			const f32x16 first = fmsub(load(at), factor, highest), second = fmsub(load(at + vector), factor, highest);
			const f32x16 weights = bf16_pairs(rough_power_of_2(first), rough_power_of_2(second));
			total[j] = add_bf16_products(weights, ones, total[j]);
			store(weights_in(scores, block.place) + j * vector, weights);
		}
	}
	return reduce_add(add(total[0], total[1]));
}

// Writes a block's keys, pairs transposed. rows_memory has room for them.
template <class rows> void put_keys(const rows &from, int64_t size, float *rows_memory, float *to) {
	constexpr int64_t cells = flash_attn_op::block_cells;
	const int64_t pairs = places_of(size);
	for (int64_t i = 0; i < cells; i++) {
		for (int64_t j = 0; j < pairs; j += vector) {
			store(rows_memory + i * pairs + j, bf16_pairs(from.at(i, 2 * j), from.at(i, 2 * j + vector)));
		}
	}
	for (int64_t i = 0; i < cells; i += vector) {
		for (int64_t j = 0; j < pairs; j += vector) {
			transpose(rows_memory + i * pairs + j, pairs, to + j * cells + i, cells);
		}
	}
}

// Writes a block's values: rows of pairs, of two cells each.
template <class rows> void put_values(const rows &from, int64_t size, float *to) {
	for (int64_t i = 0; i < flash_attn_op::block_cells; i += 2 * vector) {
		for (int64_t c = i; c < i + vector; c++, to += size) {
			for (int64_t j = 0; j < size; j += vector) {
				store(to + j, bf16_pairs(from.at(c, j), from.at(c + vector, j)));
			}
		}
	}
}

// Makes a cell's values zeros.
inline void clear_values(float *values, int64_t size, int64_t cell) {
	const int64_t pair = cell / (2 * vector) * vector + cell % vector, second = cell / vector % 2;
	for (int64_t j = 0; j < size; j++) {
		memset((char *) (values + pair * size + j) + second * sizeof(uint16_t), 0, sizeof(uint16_t));
	}
}

} // namespace kernels::PROCTOR_LEVEL
