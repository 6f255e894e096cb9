// Products of packed weights, of all types.
//
// The columns of activations are put into panels, a few columns wide. Then tiles of sixteen rows are unpacked, some at a
// time, and multiplied with all panels. What a column's result is does not depend on the columns beside it, nor on the
// number of threads.
#pragma once

#include "floats.h"
#include "quants.h"

namespace kernels::PROCTOR_LEVEL {
namespace {

constexpr int chunks_per_thread = 8; // of the tiles, so that a thread that is late holds up nobody

// Columns of an operand, over all of its dimensions but the first.
struct columns {
	const ggml_tensor *tensor;
	int64_t count() const { return ggml_nrows(tensor); }
	float *at(int64_t i) const {
		int64_t i1 = i % tensor->ne[1], i2 = i / tensor->ne[1] % tensor->ne[2], i3 = i / tensor->ne[1] / tensor->ne[2];
		return (float *) ((char *) tensor->data + i1 * tensor->nb[1] + i2 * tensor->nb[2] + i3 * tensor->nb[3]);
	}
};

// kind is quants or floats of a format.
template <class kind> class mul_mat_of : public mul_mat {
	using format = typename kind::format;
	using packed = typename format::packed;
	using panel_block = typename kind::panel_block;
	using tile = typename kind::tile;
	static constexpr int decode_tiles = kind::decode_tiles;
	static_assert(sizeof(packed) == tile_rows * sizeof(typename format::block), "packing must not take memory");

  public:
	void pack(const ggml_tensor *weights, void *to, const void *data) const override {
		const int64_t blocks = weights->ne[0] / format::size;
		auto *from = (const typename format::block *) data;
		for (int64_t row = 0; row < weights->ne[1]; row++) {
			packed *tile = (packed *) to + row / tile_rows * blocks;
			for (int64_t i = 0; i < blocks; i++, from++) {
				format::pack(tile[i], *from, (int) (row % tile_rows));
			}
		}
	}

	size_t work_size(const ggml_tensor *op) const override {
		return panels(columns{op->src[1]}.count()) * (op->src[0]->ne[0] / panel_block::values) * sizeof(panel_block);
	}

	void compute(const ggml_compute_params *params, ggml_tensor *op) const override {
		const ggml_tensor *weights = op->src[0];
		const columns to = {op};
		const int64_t n = to.count(), panel_blocks = weights->ne[0] / panel_block::values, tiles = weights->ne[1] / tile_rows;
		auto *a = (panel_block *) params->wdata;
		fill(params, {op->src[1]}, panel_blocks, a);
		if (params->ith == 0) {
			ggml_threadpool_chunk_set(params->threadpool, params->nth);
		}
		ggml_barrier(params->threadpool);

		const int64_t chunk = std::max<int64_t>(1, tiles / (params->nth * chunks_per_thread * decode_tiles)) * decode_tiles;
		const int64_t l2_panels = std::max<int64_t>(1, l2_panel_bytes / (panel_blocks * sizeof(panel_block)));
		for (int64_t i = params->ith; i * chunk < tiles; i = ggml_threadpool_chunk_add(params->threadpool, 1)) {
			const int64_t end = std::min(tiles, (i + 1) * chunk);
			for (int64_t p = 0; p < panels(n); p += l2_panels) {
				for (int64_t t = i * chunk, together; t < end; t += together) {
					together = n == 1 && end - t >= decode_tiles ? decode_tiles : end - t >= row_tiles ? row_tiles : 1;
					multiply(weights, t, together, a, p, std::min(panels(n), p + l2_panels), n, to);
				}
			}
		}
	}

  private:
	static int64_t panels(int64_t columns) { return (columns + panel_block::columns - 1) / panel_block::columns; }

	// Puts this thread's share of the activations into panels.
	static void fill(const ggml_compute_params *params, columns from, int64_t panel_blocks, panel_block *a) {
		const int64_t n = from.count();
		for (int64_t i = params->ith; i < panels(n) * panel_blocks; i += params->nth) {
			const int64_t first = i / panel_blocks * panel_block::columns;
			for (int64_t c = first; c < std::min(n, first + panel_block::columns); c++) {
				kind::fill(a[i], (int) (c - first), from.at(c) + i % panel_blocks * panel_block::values);
			}
		}
	}

	// Multiplies 1, row_tiles or decode_tiles tiles with the panels first … end - 1; n columns are in all panels.
	static void multiply(const ggml_tensor *weights, int64_t first_tile, int64_t tiles, const panel_block *a, int64_t first, int64_t end,
		int64_t n, columns to) {
		const int64_t values = weights->ne[0], blocks = values / format::size, panel_blocks = values / panel_block::values;
		tile w[decode_tiles];
		for (int64_t k = 0; k < values; k += kind::chunk_values) {
			const int64_t length = std::min<int64_t>(kind::chunk_values, values - k);
			for (int64_t t = 0; t < tiles; t++) {
				auto *from = (const packed *) weights->data + (first_tile + t) * blocks + k / format::size;
				for (int64_t i = 0; i < length; i += format::size) {
					kind::unpack(*from++, w[t], i);
				}
			}
			for (int64_t p = first; p < end; p++) {
				float *out[panel_block::columns];
				const int used = (int) std::min<int64_t>(panel_block::columns, n - p * panel_block::columns);
				for (int c = 0; c < used; c++) {
					out[c] = to.at(p * panel_block::columns + c) + first_tile * tile_rows;
				}
				const panel_block *from = a + p * panel_blocks + k / panel_block::values;
				kernel(tiles, used)(w, from, (int) (length / panel_block::values), out, k == 0);
			}
		}
	}

	using function = void (*)(const tile *, const panel_block *, int, float *const *, bool);
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

const mul_mat *mul_mat_for(const ggml_tensor *weights) {
	if (ggml_n_dims(weights) != 2 || weights->ne[1] % tile_rows != 0) {
		return nullptr;
	}
	const ggml_tensor *whole = weights->view_src;
	if (whole != nullptr && (weights->ne[0] != whole->ne[0] || weights->view_offs % (tile_rows * weights->nb[1]) != 0)) {
		return nullptr; // a part that is no whole tiles
	}
	switch (weights->type) {
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
