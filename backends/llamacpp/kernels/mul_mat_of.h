// Products of packed weights, of all types.
//
// The columns of activations are put into panels, a few columns wide, those of a matrix together (mul_mat_columns.h). Then
// tiles of sixteen rows are unpacked, some at a time, and multiplied with all panels; with few columns they are multiplied as
// they are packed, where the level can. A matrix's last tile may have fewer rows.
// What a column's result is does not depend on the columns beside it, nor on the number of threads.
#pragma once

#include "ahead.h"
#include "floats.h"
#include "quants.h"

namespace kernels::PROCTOR_LEVEL {
namespace {

constexpr int chunks_per_thread = 8; // of the tiles, so that a thread that is late holds up nobody

// kind is quants or floats of a format.
template <class kind> class mul_mat_of : public mul_mat {
	using format = typename kind::format;
	using packed = typename format::packed;
	using panel_block = typename kind::panel_block;
	using tile = typename kind::tile;
	static constexpr int row_tiles = kind::row_tiles, decode_tiles = kind::decode_tiles;
	static constexpr int most_tiles = std::max(row_tiles, decode_tiles); // together
	// Columns, at most, of which weights are unpacked again for every few: where a CPU does so beside products, if the level may at all.
	static constexpr int beside_most = kind::packed_most > kind::packed_columns ? 2 * kind::packed_most : 0;
	static_assert(kind::packed_columns == kind::packed_most || kind::packed_columns % panel_block::columns == 0);
	static_assert(sizeof(packed) == tile_rows * sizeof(typename format::block), "packing must not take memory");

  public:
	void pack(const ggml_tensor *weights, void *to, const void *data) const override {
		const int64_t blocks = weights->ne[0] / format::size;
		auto *from = (const typename format::block *) data;
		for (int64_t i = 0; i < ggml_nrows(weights); i++) {
			const int64_t row = i % weights->ne[1];
			packed *tile = (packed *) to + (i / weights->ne[1] * tiles_of(weights) + row / tile_rows) * blocks;
			if (weights->ne[1] - row < tile_rows && row % tile_rows == 0) {
				memset((void *) tile, 0, blocks * sizeof *tile); // the rows that are lacking
			}
			for (int64_t j = 0; j < blocks; j++, from++) {
				format::pack(tile[j], *from, (int) (row % tile_rows));
			}
		}
	}

	size_t packed_size(const ggml_tensor *weights) const override {
		return matrices_of(weights) * tiles_of(weights) * (weights->ne[0] / format::size) * sizeof(packed);
	}

	size_t work_size(int threads, const ggml_tensor *op) const override {
		return is_small(op, threads) ? threads * alone_bytes(op) : work(op).size(threads);
	}

	void compute(const compute_params *params, ggml_tensor *op) const override {
		const ggml_tensor *weights = op->src[0];
		if (is_small(op, params->nth)) {
			compute_alone(params, op);
			return;
		}
		const work all(op, params->wdata, params->ith);
		sort_columns(op, panel_block::columns, all.columns, all.end, all.first_panel);
		if (params->ith == 0) {
			params->set_chunk(params->nth);
		}
		fill(all, params->ith, params->nth);
		params->wait();

		const int64_t tiles = tiles_of(weights), matrices = matrices_of(weights);
		const int64_t share = tiles * matrices / (params->nth * chunks_per_thread * most_tiles) * most_tiles;
		const int64_t chunk = std::min<int64_t>(tiles, std::max<int64_t>(most_tiles, share)),
					  chunks = (tiles + chunk - 1) / chunk;
		[[maybe_unused]] const typename kind::state held;
		for (int64_t i = params->ith; i < chunks * matrices; i = params->next_chunk()) {
			multiply_chunk(weights, all, i / chunks, i % chunks * chunk, std::min(tiles, (i % chunks + 1) * chunk));
		}
	}

  private:
	static int64_t tiles_of(const ggml_tensor *weights) { return (weights->ne[1] + tile_rows - 1) / tile_rows; } // a matrix
	static int64_t matrices_of(const ggml_tensor *weights) { return weights->ne[2] * weights->ne[3]; }

	// The activations in panels, each of columns of one matrix, which the threads share; and where they are from, which each thread
	// sorts for itself: that takes less time than to wait for another thread.
	struct work {
		int64_t matrices, panels, panel_blocks; // at most so many panels; blocks of each
		panel_block *a;
		column *columns;      // [panels × panel_block::columns]; from is nullptr beyond the last of a matrix
		int64_t *end;         // [matrices]: the place beyond its last column
		int64_t *first_panel; // [matrices + 1]

		explicit work(const ggml_tensor *op, void *memory = nullptr, int64_t thread = 0) {
			const int64_t n = ggml_nrows(op);
			matrices = matrices_of(op->src[0]);
			panels = n / panel_block::columns + std::min(n, matrices);
			panel_blocks = op->src[0]->ne[0] / panel_block::values;
			a = (panel_block *) GGML_PAD((uintptr_t) memory, cache_line); // else half of a panel's rows lie in two lines for AMX
			columns = (column *) ((char *) (a + panels * panel_blocks) + thread * columns_bytes());
			end = (int64_t *) (columns + panels * panel_block::columns);
			first_panel = end + matrices;
		}
		size_t columns_bytes() const {
			return panels * panel_block::columns * sizeof(column) + (2 * matrices + 1) * sizeof(int64_t);
		}
		size_t size(int threads) const {
			return cache_line + panels * panel_blocks * sizeof(panel_block) + threads * columns_bytes();
		}
	};

	// Says whether a single column is multiplied with so few weights that waiting for all threads takes about as long as a thread's share.
	static bool is_small(const ggml_tensor *op, int threads) {
		constexpr int64_t wait_bytes = 4096; // that a thread multiplies in the time that each thread adds to a wait
		return ggml_nrows(op) == 1 && ggml_nrows(op->src[0]) == op->src[0]->ne[1] &&
			(int64_t) ggml_nbytes(op->src[0]) <= wait_bytes * threads * threads;
	}

	// Bytes of a thread that multiplies without waiting: whole cache lines, as others write beside it.
	static size_t alone_bytes(const ggml_tensor *op) { return GGML_PAD(work(op).size(1), 64); }

	// Multiplies without waiting: each thread puts the column into a panel of its own, and has an equal share of the tiles.
	static void compute_alone(const compute_params *params, ggml_tensor *op) {
		const int64_t tiles = tiles_of(op->src[0]);
		const work all(op, (char *) params->wdata + params->ith * alone_bytes(op));
		sort_columns(op, panel_block::columns, all.columns, all.end, all.first_panel);
		fill(all, 0, 1);
		[[maybe_unused]] const typename kind::state held;
		multiply_chunk(op->src[0], all, 0, tiles * params->ith / params->nth, tiles * (params->ith + 1) / params->nth);
	}

	// Puts a thread's share of the activations into panels: blocks side by side, as threads that write to one line wait.
	static void fill(const work &all, int64_t thread, int64_t threads) {
		const int64_t blocks = all.first_panel[all.matrices] * all.panel_blocks;
		for (int64_t i = blocks * thread / threads; i < blocks * (thread + 1) / threads; i++) {
			const column *columns = all.columns + i / all.panel_blocks * panel_block::columns;
			kind::fill(all.a[i], columns, i % all.panel_blocks * panel_block::values);
		}
	}

	// Multiplies the tiles first … end - 1 of a matrix with all of its columns.
	static void multiply_chunk(const ggml_tensor *weights, const work &all, int64_t matrix, int64_t first, int64_t end) {
		const int64_t first_panel = all.first_panel[matrix], end_panel = all.first_panel[matrix + 1];
		const int64_t l2_panels = std::max<int64_t>(1, l2_panel_bytes / (all.panel_blocks * sizeof(panel_block)));
		const int64_t columns = all.end[matrix] - first_panel * panel_block::columns;
		if constexpr (kind::packed_columns > 0) {
			if (columns <= kind::packed_most || (unpacks_beside_products() && columns <= beside_most)) {
				for (int64_t t = first, together; t < end; t += together) {
					together = multiply_packed(weights, all, matrix, t, end - t, columns);
				}
				return;
			}
		}
		for (int64_t p = first_panel; p < end_panel; p += l2_panels) {
			for (int64_t t = first, together; t < end; t += together) {
				together = columns == 1 && end - t >= decode_tiles ? decode_tiles : end - t >= row_tiles ? row_tiles : 1;
				multiply(weights, all, matrix, t, together, p, std::min(end_panel, p + l2_panels));
			}
		}
	}

	// Multiplies tiles of a matrix, at most so many, with all of its columns, as they are packed. Returns how many tiles those were.
	static int64_t multiply_packed(
		const ggml_tensor *weights, const work &all, int64_t matrix, int64_t first_tile, int64_t most, int64_t columns) {
		const int64_t blocks = weights->ne[0] / format::size;
		const auto *from = (const packed *) weights->data + (matrix * tiles_of(weights) + first_tile) * blocks;
		int64_t panel = all.first_panel[matrix], tiles = columns > kind::packed_columns ? 1 : most;
		const column *to = all.columns + panel * panel_block::columns;
		for (int64_t left = columns; left > 0; left -= kind::packed_columns) {
			const int64_t n = std::min<int64_t>(left, kind::packed_columns);
			const packed_function function = packed_kernel(tiles, n);
			tiles = function.tiles;
			float *out[kind::packed_columns], products[kind::packed_columns][most_tiles * tile_rows];
			for (int c = 0; c < n; c++) {
				out[c] = products[c];
			}
			function.multiply(from, blocks, blocks, all.a + panel * all.panel_blocks, all.panel_blocks, to->from, out);
			const int64_t rows = std::min(tiles * tile_rows, weights->ne[1] - first_tile * tile_rows);
			for (int c = 0; c < n; c++) {
				memcpy(to[c].to + first_tile * tile_rows, products[c], rows * sizeof(float));
			}
			panel += kind::packed_columns / panel_block::columns;
			to += kind::packed_columns;
		}
		return tiles;
	}

	// Returns how many of a row's values are unpacked at a time: all, or equal parts, as short ones take nearly as long.
	static int64_t chunk_of(int64_t values) {
		constexpr int64_t most = kind::chunk_values / format::size; // blocks
		const int64_t blocks = values / format::size, parts = (blocks + most - 1) / most;
		return (blocks + parts - 1) / parts * format::size;
	}

	// Multiplies 1, row_tiles or decode_tiles tiles of a matrix with the panels first … end - 1.
	static void multiply(const ggml_tensor *weights, const work &all, int64_t matrix, int64_t first_tile, int64_t tiles,
		int64_t first, int64_t end) {
		const int64_t values = weights->ne[0], blocks = values / format::size;
		const auto *from_tile = (const packed *) weights->data + (matrix * tiles_of(weights) + first_tile) * blocks;
		const int64_t rows = std::min(tiles * tile_rows, weights->ne[1] - first_tile * tile_rows);
		const bool full = rows == tiles * tile_rows; // else there is no room for the products of the rows that are lacking
		std::array<tile, most_tiles> w;
		const int64_t chunk = chunk_of(values);
		for (int64_t k = 0; k < values; k += chunk) {
			const int64_t length = std::min(chunk, values - k);
			for (int64_t t = 0; t < tiles; t++) {
				const packed *from = from_tile + t * blocks + k / format::size;
				for (int64_t i = 0; i < length; i += format::size) {
					kind::unpack(*from++, w[t], i);
				}
			}
			const bool last = k + length == values; // then other tiles follow
			const packed *next = last ? from_tile + tiles * blocks : from_tile + (k + length) / format::size;
			const ahead coming = {(const char *) next, blocks * sizeof(packed), length / format::size * sizeof(packed),
				(int) (length / panel_block::values)};
			for (int64_t p = first; p < end; p++) {
				const column *columns = all.columns + p * panel_block::columns;
				const int used = (int) std::min<int64_t>(panel_block::columns, all.end[matrix] - p * panel_block::columns);
				float *out[panel_block::columns], padded[panel_block::columns][most_tiles * tile_rows];
				for (int c = 0; c < used; c++) {
					float *to = columns[c].to + first_tile * tile_rows;
					out[c] = full ? to : padded[c];
					if (!full && k > 0) {
						memcpy(padded[c], to, rows * sizeof(float));
					}
				}
				const panel_block *from = all.a + p * all.panel_blocks + k / panel_block::values;
				kernel(tiles, used)(
					w.data(), from, (int) (length / panel_block::values), out, k == 0, p == first ? coming : ahead());
				for (int c = 0; c < used && !full; c++) {
					memcpy(columns[c].to + first_tile * tile_rows, padded[c], rows * sizeof(float));
				}
			}
		}
	}

	// What multiplies tiles as they are packed, and how many.
	struct packed_function {
		int64_t tiles;
		void (*multiply)(const packed *, int64_t, int64_t, const panel_block *, int64_t, const float *, float *const *);
	};

	template <int tiles, int n>
	static void multiply_packed(const packed *w, int64_t apart, int64_t blocks, const panel_block *a, int64_t panel_blocks,
		const float *first, float *const *out) {
		kind::template multiply_packed<tiles, n>(w, apart, blocks, panels<panel_block, n>(a, panel_blocks), first, out);
	}

	// Chooses for at most so many tiles and so many columns.
	template <int n = kind::packed_columns> static packed_function packed_kernel(int64_t most, int64_t columns) {
		if constexpr (n > 1) {
			if (columns < n) {
				return packed_kernel<n - 1>(most, columns);
			}
		}
		constexpr int tiles = n == 1 ? decode_tiles : n <= panel_block::columns ? row_tiles : 1;
		return most >= tiles ? packed_function{tiles, multiply_packed<tiles, n>} : packed_function{1, multiply_packed<1, n>};
	}

	using function = void (*)(const tile *, const panel_block *, int, float *const *, bool, const ahead &);
	using functions = std::array<function, panel_block::columns>; // for 1, 2, … columns

	template <int tiles, int... i> static constexpr functions all(std::integer_sequence<int, i...>) {
		return {kind::template multiply<tiles, i + 1>...};
	}

	static function kernel(int64_t tiles, int columns) {
		using indices = std::make_integer_sequence<int, panel_block::columns>;
		static constexpr functions one_tile = all<1>(indices()), several_tiles = all<row_tiles>(indices());
		if (tiles > row_tiles) {
			return kind::template multiply<decode_tiles, 1>;
		}
		return (tiles == row_tiles ? several_tiles : one_tile)[columns - 1];
	}
};

template <class kind> const mul_mat *of(const ggml_tensor *weights) {
	static const mul_mat_of<kind> one;
	return weights->ne[0] % kind::panel_block::values == 0 ? &one : nullptr;
}

} // namespace

// A level's products: quantised weights with activations of 8 bits, floats with activations as they are.
const mul_mat *mul_mat_for(const ggml_tensor *weights) {
	if (!ggml_is_contiguous(weights)) {
		return nullptr;
	}
	const ggml_tensor *whole = weights->view_src;
	auto is_full = [](const ggml_tensor *t) { return t->ne[1] % tile_rows == 0 || t->ne[1] == ggml_nrows(t); };
	if (whole != nullptr &&
		(weights->ne[0] != whole->ne[0] || weights->view_offs % (tile_rows * weights->nb[1]) != 0 || !is_full(weights) ||
			!is_full(whole))) {
		return nullptr; // a part that does not begin with a tile, or matrices whose last tiles have not all their rows
	}
	switch (weights->type) {
	case GGML_TYPE_F32: return of<floats<f32>>(weights);
	case GGML_TYPE_F16: return of<floats<f16>>(weights);
	case GGML_TYPE_BF16: return of<floats<bf16>>(weights);
	case GGML_TYPE_Q4_0: return of<quants<q4_0>>(weights);
	case GGML_TYPE_Q4_1: return of<quants<q4_1>>(weights);
	case GGML_TYPE_Q5_0: return of<quants<q5_0>>(weights);
	case GGML_TYPE_Q5_1: return of<quants<q5_1>>(weights);
	case GGML_TYPE_Q8_0: return of<quants<q8_0>>(weights);
	case GGML_TYPE_IQ4_NL: return of<quants<iq4_nl>>(weights);
	case GGML_TYPE_MXFP4: return of<quants<mxfp4>>(weights);
	case GGML_TYPE_Q2_K: return of<quants<q2_K>>(weights);
	case GGML_TYPE_Q3_K: return of<quants<q3_K>>(weights);
	case GGML_TYPE_Q4_K: return of<quants<q4_K>>(weights);
	case GGML_TYPE_Q5_K: return of<quants<q5_K>>(weights);
	case GGML_TYPE_Q6_K: return of<quants<q6_K>>(weights);
	case GGML_TYPE_IQ4_XS: return of<quants<iq4_xs>>(weights);
	default: return nullptr;
	}
}

} // namespace kernels::PROCTOR_LEVEL
