// A block of a cache's cells, as attention reads it.
#pragma once

#include "attention_floats.h"
#include "cells_ahead.h"

namespace kernels::PROCTOR_LEVEL {

// How many of a block's cells tokens see, up to the last one: what comes behind need not be multiplied.
struct seen_ends {
	std::array<uint8_t, flash_attn_op::max_queries> end;
	bool whole = true; // all see the last one

	// Calls use with the first of rows that are multiplied together, how many they are, and the most that one of them sees; gqa rows are
	// of a token.
	template <class function> void each(int64_t rows, int64_t gqa, function use) const {
		if (whole) {
			use(0, rows, flash_attn_op::block_cells);
			return;
		}
		for (int64_t r = 0; r < rows; r += gemm_rows) {
			const int64_t n = std::min<int64_t>(gemm_rows, rows - r);
			const uint8_t most = *std::max_element(&end[r / gqa], &end[(r + n - 1) / gqa] + 1);
			if (most > 0) {
				use(r, n, most);
			}
		}
	}
};

// What rows of queries are multiplied with: keys and values of a head, a block at a time. For many rows the block is converted
// to what is multiplied, the keys transposed so that a vector holds one place of 16 keys. A few rows read the block as it lies.
// Both give the same bits. Where parts go through a chunk one after the other, its blocks stay converted.
class cache_block {
	static constexpr int block_cells = flash_attn_op::block_cells;
	static_assert(block_cells % gemm_columns == 0, "a block's scores are whole products");

	// A block that is converted, and of which cells.
	struct kept {
		float *memory;
		cache_cells cells;
	};

	const flash_attn_op &op;
	const int64_t head;
	kept keys[flash_attn_op::chunk_blocks], values[flash_attn_op::chunk_blocks];
	float *untransposed, *converted;

	static int64_t key_floats(const flash_attn_op &op) { return block_cells * op.dk; }
	static int64_t value_floats(const flash_attn_op &op) { return block_cells * op.dv; }
	static int64_t blocks(const flash_attn_op &op) { return op.side_by_side > 1 ? flash_attn_op::chunk_blocks : 1; }

  public:
	static int64_t memory_floats(const flash_attn_op &op) {
		return blocks(op) * (key_floats(op) + value_floats(op)) + key_floats(op) +
			block_cells * std::max(op.k->ne[0], op.v->ne[0]);
	}

	cache_block(const flash_attn_op &op, int64_t head, float *memory)
		: op(op), head(head), untransposed(memory + blocks(op) * (key_floats(op) + value_floats(op))),
		  converted(untransposed + key_floats(op)) {
		for (int64_t i = 0; i < blocks(op); i++) {
			keys[i] = {memory + i * key_floats(op), {}};
			values[i] = {memory + blocks(op) * key_floats(op) + i * value_floats(op), {}};
		}
	}

	// Says whether rows are few enough to read the cache as it lies.
	bool few(int64_t rows) const { return rows <= most_few && has_vectors(op.k) && has_vectors(op.v); }

	// The steps in which score and add_values bring what lies ahead.
	int64_t score_steps(int64_t rows) const {
		return few(rows) ? few_tiles(rows) * (block_cells / vector) * (op.dk / 8) : gemm_tiles_of(rows, block_cells);
	}
	int64_t value_steps(int64_t rows) const {
		return few(rows) ? few_tiles(rows) * (block_cells / few_cells) : gemm_tiles_of(rows, op.dv);
	}

	// Writes the scores of some rows of queries. Those of cells from the end on, or that a row does not see, mean nothing.
	void score(
		matrix<const float> query, int64_t rows, cache_cells cells, const seen_ends &ends, matrix<float> to, cells_ahead ahead) {
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
		const matrix<const float> key = {load_keys(cells), block_cells};
		ends.each(rows, op.gqa, [&](int64_t r, int64_t n, int64_t end) {
			gemm({query.row(r), query.apart}, n, op.dk, key, whole_vectors(end), {to.row(r), to.apart}, false,
				[&] { ahead.step(); });
		});
	}

	// Adds the values, each times the weight that its cell has for a row, to the row's sum. A cell that a row does not see weighs
	// nothing, but what is no number times nothing is none: queries.h looks at the sum.
	void add_values(matrix<const float> weight, int64_t rows, cache_cells cells, const seen_ends &ends, matrix<float> sum,
		cells_ahead ahead) {
		if (few(rows)) {
			each_few_rows(rows, [&](auto some, int64_t r) {
				some.sum({weight.row(r), weight.apart}, halves(op.v, cells), op.v->ne[0], {sum.row(r), sum.apart},
					[&] { ahead.step(); });
			});
			return;
		}
		const matrix<const float> value = {load_values(cells), op.dv};
		ends.each(rows, op.gqa, [&](int64_t r, int64_t n, int64_t end) {
			gemm({weight.row(r), weight.apart}, n, end, value, op.dv, {sum.row(r), sum.apart}, true, [&] { ahead.step(); });
		});
	}

	// Does so for one row, and reads only the cells that seen names.
	template <class function> void add_seen_values(const float *weight, cache_cells cells, float *sum, function seen) {
		float *value = load_values(cells);
		for (int64_t i = cells.first; i < cells.end; i++) {
			if (!seen(i)) {
				clear_values(value, op.dv, i - cells.first);
			}
		}
		kept_of(values, cells).cells = {}; // it is not what the cache has any more
		gemm({weight, 0}, 1, block_cells, {value, op.dv}, op.dv, {sum, 0}, true, [] {});
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

	kept &kept_of(kept *all, cache_cells cells) const { return all[cells.first / block_cells % blocks(op)]; }

	// Says whether a block has these cells; else it is to be converted, and has them then.
	static bool has(kept &block, cache_cells cells) {
		const bool known = block.cells.stream == cells.stream && block.cells.first == cells.first && block.cells.end >= cells.end;
		if (!known) {
			block.cells = cells;
		}
		return known;
	}

	// Reads a block of keys; those from the end on mean nothing.
	const float *load_keys(cache_cells cells) {
		kept &block = kept_of(keys, cells);
		if (has(block, cells)) {
			return block.memory;
		}
		if (has_vectors(op.k)) {
			put_keys(half_rows{halves_of_keys(cells), op.k->ne[0]}, op.dk, untransposed, block.memory);
		} else {
			put_keys(floats_of(op.k, cells), op.dk, untransposed, block.memory);
		}
		return block.memory;
	}

	// Reads a block of values; those from the end on are zeros, or such as another row sees.
	float *load_values(cache_cells cells) {
		kept &block = kept_of(values, cells);
		if (has(block, cells)) {
			return block.memory;
		}
		if (has_vectors(op.v)) {
			put_values(half_rows{halves(op.v, cells), op.v->ne[0]}, op.dv, block.memory);
		} else {
			put_values(floats_of(op.v, cells), op.dv, block.memory);
		}
		return block.memory;
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
