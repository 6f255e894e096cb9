// A block of a cache's cells, as attention reads it.
#pragma once

#include "cells_ahead.h"
#include "gemm_f16.h"

namespace kernels::PROCTOR_LEVEL {

// What rows of queries are multiplied with: keys and values of a head, a block at a time. For many rows the block is converted
// to floats, the keys transposed so that a vector holds one place of 16 keys; a few rows read it as it lies. Both give the
// same bits.
class cache_block {
	static constexpr int block_cells = flash_attn_op::block_cells;
	static_assert(block_cells % gemm_columns == 0, "a block's scores are whole products");

	const flash_attn_op &op;
	const int64_t head;
	float *keys, *values, *untransposed;

  public:
	static int64_t memory_floats(const flash_attn_op &op) { return block_cells * (2 * op.dk + op.dv); }

	cache_block(const flash_attn_op &op, int64_t head, float *memory)
		: op(op), head(head), keys(memory), values(keys + block_cells * op.dk), untransposed(values + block_cells * op.dv) {}

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
		gemm(query, rows, op.dk, {keys, block_cells}, block_cells, to, false, [&] { ahead.step(); });
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
		load_cells(op.v, cells, values, op.dv);
		gemm(weight, rows, block_cells, {values, op.dv}, op.dv, sum, true, [&] { ahead.step(); });
	}

	// Does so for one row, and reads only the cells that seen names.
	template <class function> void add_seen_values(const float *weight, cache_cells cells, float *sum, function seen) const {
		load_cells(op.v, cells, values, op.dv);
		for (int64_t i = cells.first; i < cells.end; i++) {
			if (!seen(i)) {
				clear(values + (i - cells.first) * op.dv, values + (i + 1 - cells.first) * op.dv);
			}
		}
		gemm({weight, 0}, 1, block_cells, {values, op.dv}, op.dv, {sum, 0}, true, [] {});
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

	bool few(int64_t rows) const { return rows <= most_few && has_vectors(op.k) && has_vectors(op.v); }

	half_cells halves(const ggml_tensor *t, cache_cells cells) const {
		return {tensor_at<char>(t, cells.first, head, cells.stream), t->nb[1], cells.end - cells.first};
	}

	// Whole vectors of a block's keys; those from the end on mean nothing.
	half_cells halves_of_keys(cache_cells cells) const {
		cells.end = std::min(cells.first + whole_vectors(cells.end - cells.first), op.k->ne[1]);
		half_cells all = halves(op.k, cells);
		if (all.count % vector != 0) { // the cache ends here
			const size_t size = op.dk * sizeof(ggml_half);
			char *to = (char *) untransposed;
			for (int64_t i = 0; i < all.count; i++) {
				memcpy(to + i * size, all.at(i), size);
			}
			memset(to + all.count * size, 0, (block_cells - all.count) * size);
			all = {to, size, whole_vectors(all.count)};
		}
		return all;
	}

	// Reads a block as floats, stride apart; cells from the end on are 0, and so is what fills a row up to the stride.
	void load_cells(const ggml_tensor *t, cache_cells cells, float *to, int64_t stride) const {
		auto convert = ggml_get_type_traits(t->type)->to_float;
		for (int64_t i = cells.first; i < cells.first + block_cells; i++, to += stride) {
			const int64_t values = i < cells.end ? t->ne[0] : 0;
			const void *row = tensor_at<void>(t, i, head, cells.stream);
			if (t->type == GGML_TYPE_F32) {
				std::copy_n((const float *) row, values, to);
			} else if (values > 0 && has_vectors(t)) {
				for (int64_t j = 0; j < values; j += vector) {
					store(to + j, load_f16((const ggml_fp16_t *) row + j));
				}
			} else if (values > 0) {
				convert(row, to, values);
			}
			clear(to + values, to + stride);
		}
	}

	// Reads a block of keys, transposed; those from the end on mean nothing.
	void load_keys(cache_cells cells) const {
		if (has_vectors(op.k)) {
			load_halves(halves_of_keys(cells));
			return;
		}
		load_cells(op.k, cells, untransposed, op.dk);
		for (int64_t i = 0; i < block_cells; i += vector) {
			for (int64_t j = 0; j < op.dk; j += vector) {
				transpose(untransposed + i * op.dk + j, op.dk, keys + j * block_cells + i, block_cells);
			}
		}
	}

	void load_halves(half_cells from) const {
		for (int64_t i = 0; i < from.count; i += vector) {
			for (int64_t j = 0; j < op.dk; j += 8) {
				__m256i value[8];
				load_transposed(from, i, j, value);
				for (int64_t l = 0; l < 8; l++) {
					store(keys + (j + l) * block_cells + i, f16_to_f32(value[l]));
				}
			}
		}
		for (int64_t j = 0; j < op.dk && from.count < block_cells; j++) {
			clear(keys + j * block_cells + from.count, keys + (j + 1) * block_cells);
		}
	}
};

} // namespace kernels::PROCTOR_LEVEL
