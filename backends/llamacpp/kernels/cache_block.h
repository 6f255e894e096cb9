// A block of a cache's cells, as attention reads it.
#pragma once

#include PROCTOR_ATTENTION

#include "cells_ahead.h"

namespace kernels::PROCTOR_LEVEL {

// What rows of queries are multiplied with: keys and values of a head, a block at a time. For many rows the block is converted
// to what is multiplied, the keys transposed so that a vector holds one place of 16 keys. Where floats are multiplied, a few rows
// read the block as it lies. Both give the same bits.
class cache_block {
	static constexpr int block_cells = flash_attn_op::block_cells;
	static constexpr int64_t weight_places = block_cells / attended_values;
	static_assert(block_cells % gemm_columns == 0, "a block's scores are whole products");

	const flash_attn_op &op;
	const int64_t head;
	float *keys, *values, *untransposed, *converted;

  public:
	static int64_t memory_floats(const flash_attn_op &op) {
		return block_cells * (2 * places_of(op.dk) + op.dv / attended_values + std::max(op.k->ne[0], op.v->ne[0]));
	}

	cache_block(const flash_attn_op &op, int64_t head, float *memory)
		: op(op), head(head), keys(memory), values(keys + block_cells * places_of(op.dk)),
		  untransposed(values + block_cells * op.dv / attended_values), converted(untransposed + block_cells * places_of(op.dk)) {
	}

	// The steps in which score and add_values bring what lies ahead.
	int64_t score_steps(int64_t rows) const {
		return few(rows) ? few_tiles(rows) * (block_cells / vector) * (op.dk / 8) : gemm_tiles_of(rows, block_cells);
	}
	int64_t value_steps(int64_t rows) const {
		return few(rows) ? few_tiles(rows) * (block_cells / few_cells) : gemm_tiles_of(rows, op.dv);
	}

	// Writes the scores of so many rows of queries. Those of cells from the end on mean nothing, but all of a block are written.
	void score(matrix<const float> query, int64_t rows, cache_cells cells, matrix<float> to, cells_ahead ahead) const {
		if (few(rows)) {
			each_few_rows(rows, [&](auto some, int64_t r) {
				some.score(query.row(r), op.dk, halves_of_keys(cells), {to.row(r), to.apart}, [&] { ahead.step(); });
			});
			const int64_t scored = whole_vectors(cells.end - cells.first);
			for (int64_t r = 0; r < rows; r++) {
				clear(to.row(r) + scored, to.row(r) + block_cells);
			}
			return;
		}
		load_keys(cells);
		gemm<attention_products>(
			query, rows, places_of(op.dk), {keys, block_cells}, block_cells, to, false, [&] { ahead.step(); });
	}

	// Adds the values, each times the weight that its cell has for a row, to the row's sum. A cell that a row does not see weighs
	// nothing, but what is no number times nothing is none: queries.h looks at the sum.
	void add_values(matrix<const float> weight, int64_t rows, cache_cells cells, matrix<float> sum, cells_ahead ahead) const {
		if (few(rows)) {
			each_few_rows(rows, [&](auto some, int64_t r) {
				some.sum({weight.row(r), weight.apart}, halves(op.v, cells), op.v->ne[0], {sum.row(r), sum.apart},
					[&] { ahead.step(); });
			});
			return;
		}
		load_values(cells);
		gemm<attention_products>(weight, rows, weight_places, {values, op.dv}, op.dv, sum, true, [&] { ahead.step(); });
	}

	// Does so for one row, and reads only the cells that seen names.
	template <class function> void add_seen_values(const float *weight, cache_cells cells, float *sum, function seen) const {
		load_values(cells);
		for (int64_t i = cells.first; i < cells.end; i++) {
			if (!seen(i)) {
				clear_values(values, op.dv, i - cells.first);
			}
		}
		gemm<attention_products>({weight, 0}, 1, weight_places, {values, op.dv}, op.dv, {sum, 0}, true, [] {});
	}

  private:
	static int64_t whole_vectors(int64_t cells) { return (cells + vector - 1) / vector * vector; }
	static void clear(float *from, float *end) {
		if (from < end) {
			memset(from, 0, (end - from) * sizeof(float));
		}
	}

	static int64_t few_tiles(int64_t rows) { return (rows + few_tile - 1) / few_tile; }

	// Says whether a tensor's cells are whole vectors of halves.
	static bool has_vectors(const ggml_tensor *t) { return t->type == GGML_TYPE_F16 && t->ne[0] % vector == 0; }

	bool few(int64_t rows) const { return attended_values == 1 && rows <= most_few && has_vectors(op.k) && has_vectors(op.v); }

	half_cells halves(const ggml_tensor *t, cache_cells cells) const {
		return {tensor_at<char>(t, cells.first, head, cells.stream), t->nb[1], cells.end - cells.first};
	}

	// Whole vectors of a block's keys; those from the end on mean nothing.
	half_cells halves_of_keys(cache_cells cells) const {
		cells.end = std::min(cells.first + whole_vectors(cells.end - cells.first), op.k->ne[1]);
		half_cells all = halves(op.k, cells);
		if (all.count % vector != 0) { // the cache ends here
			const size_t size = op.dk * sizeof(ggml_half);
			char *to = (char *) converted;
			for (int64_t i = 0; i < all.count; i++) {
				memcpy(to + i * size, all.at(i), size);
			}
			memset(to + all.count * size, 0, (block_cells - all.count) * size);
			all = {to, size, whole_vectors(all.count)};
		}
		return all;
	}

	// Reads a block of keys; those from the end on mean nothing.
	void load_keys(cache_cells cells) const {
		if (has_vectors(op.k)) {
			put_keys(half_rows{halves_of_keys(cells), op.k->ne[0]}, op.dk, untransposed, keys);
		} else {
			put_keys(floats_of(op.k, cells), op.dk, untransposed, keys);
		}
	}

	// Reads a block of values; those from the end on are zeros.
	void load_values(cache_cells cells) const {
		if (has_vectors(op.v)) {
			put_values(half_rows{halves(op.v, cells), op.v->ne[0]}, op.dv, values);
		} else {
			put_values(floats_of(op.v, cells), op.dv, values);
		}
	}

	float_rows floats_of(const ggml_tensor *t, cache_cells cells) const {
		const int64_t count = cells.end - cells.first, size = t->ne[0];
		if (t->type == GGML_TYPE_F32) {
			return {tensor_at<char>(t, cells.first, head, cells.stream), t->nb[1], count, size};
		}
		auto convert = ggml_get_type_traits(t->type)->to_float;
		for (int64_t i = 0; i < count; i++) {
			convert(tensor_at<void>(t, cells.first + i, head, cells.stream), converted + i * size, size);
		}
		return {(const char *) converted, size * sizeof(float), count, size};
	}
};

} // namespace kernels::PROCTOR_LEVEL
