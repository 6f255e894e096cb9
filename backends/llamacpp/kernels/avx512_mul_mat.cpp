#include "cpu.h"

#ifdef PROCTOR_KERNELS

#include "mul_mat.h"

#include <algorithm>
#include <array>
#include <utility>

#include "avx512_floats.h"
#include "ggml-cpu-impl.h"
#include "avx512_quants.h"

// The columns of activations are put into panels, a few columns wide. Then tiles of sixteen rows are unpacked, some at a
// time, and multiplied with all panels. What a column's result is does not depend on the columns beside it, nor on the
// number of threads.

namespace kernels {
namespace {

constexpr int some = 2;          // tiles that are multiplied together
constexpr size_t near = 1 << 20; // bytes of panels that stay in the L2 cache beside them

// Columns of an operand, over all of its dimensions but the first.
struct columns {
	const ggml_tensor *tensor;
	int64_t count() const { return ggml_nrows(tensor); }
	float *at(int64_t i) const {
		int64_t i1 = i % tensor->ne[1], i2 = i / tensor->ne[1] % tensor->ne[2], i3 = i / tensor->ne[1] / tensor->ne[2];
		return (float *) ((char *) tensor->data + i1 * tensor->nb[1] + i2 * tensor->nb[2] + i3 * tensor->nb[3]);
	}
};

template <class kind> class matmul_of : public matmul {
	using format = typename kind::format;
	using packed = typename format::packed;
	using panel = typename kind::panel;
	using scratch = typename kind::scratch;
	static constexpr int many = kind::many;
	static_assert(sizeof(packed) == lanes * sizeof(typename format::block), "packing must not take memory");

  public:
	void pack(const ggml_tensor *matrix, void *to, const void *data) const override {
		const int64_t blocks = matrix->ne[0] / format::size;
		auto *from = (const typename format::block *) data;
		for (int64_t row = 0; row < matrix->ne[1]; row++) {
			packed *tile = (packed *) to + row / lanes * blocks;
			for (int64_t i = 0; i < blocks; i++, from++) {
				format::pack(tile[i], *from, (int) (row % lanes));
			}
		}
	}

	size_t work_size(const ggml_tensor *op) const override {
		return panels(columns{op->src[1]}.count()) * (op->src[0]->ne[0] / kind::part) * sizeof(panel);
	}

	void compute(const ggml_compute_params *params, ggml_tensor *op) const override {
		const ggml_tensor *matrix = op->src[0];
		const columns from = {op->src[1]}, to = {op};
		const int64_t n = from.count(), parts = matrix->ne[0] / kind::part, tiles = matrix->ne[1] / lanes;
		auto *a = (panel *) params->wdata;
		for (int64_t i = params->ith; i < panels(n) * parts; i += params->nth) {
			const int64_t first = i / parts * kind::width;
			for (int64_t c = first; c < std::min(n, first + kind::width); c++) {
				kind::fill(a[i], (int) (c - first), from.at(c) + i % parts * kind::part);
			}
		}
		if (params->ith == 0) {
			ggml_threadpool_chunk_set(params->threadpool, params->nth);
		}
		ggml_barrier(params->threadpool);

		const int64_t share = std::max<int64_t>(1, tiles / (params->nth * 8 * many)) * many; // of the tiles, taken at a time
		const int64_t together = std::max<int64_t>(1, near / (parts * sizeof(panel)));
		for (int64_t turn = params->ith; turn * share < tiles; turn = ggml_threadpool_chunk_add(params->threadpool, 1)) {
			for (int64_t p = 0; p < panels(n); p += together) {
				for (int64_t t = turn * share, end = std::min(tiles, t + share), more; t < end; t += more) {
					more = n == 1 && end - t >= many ? many : end - t >= some ? some : 1;
					multiply(matrix, t, more, a, p, std::min(panels(n), p + together), n, to);
				}
			}
		}
	}

  private:
	static int64_t panels(int64_t columns) { return (columns + kind::width - 1) / kind::width; }

	// Multiplies one tile, some or many with the panels first … end - 1; n columns are in all panels.
	static void multiply(const ggml_tensor *matrix, int64_t tile, int64_t tiles, const panel *a, int64_t first, int64_t end, int64_t n, columns to) {
		const int64_t values = matrix->ne[0], blocks = values / format::size, parts = values / kind::part;
		scratch w[many];
		for (int64_t k = 0; k < values; k += kind::chunk) {
			const int64_t length = std::min<int64_t>(kind::chunk, values - k);
			for (int64_t t = 0; t < tiles; t++) {
				auto *from = (const packed *) matrix->data + (tile + t) * blocks + k / format::size;
				for (int64_t i = 0; i < length; i += format::size) {
					kind::unpack(*from++, w[t], i);
				}
			}
			for (int64_t p = first; p < end; p++) {
				float *out[kind::width];
				const int there = (int) std::min<int64_t>(kind::width, n - p * kind::width);
				for (int c = 0; c < there; c++) {
					out[c] = to.at(p * kind::width + c) + tile * lanes;
				}
				kernel(tiles, there)(w, a + p * parts + k / kind::part, (int) (length / kind::part), out, k == 0);
			}
		}
	}

	using function = void (*)(const scratch *, const panel *, int, float *const *, bool);
	using functions = std::array<function, kind::width>; // for 1, 2, … columns

	template <int tiles, int... i> static constexpr functions all(std::integer_sequence<int, i...>) { return {kind::template multiply<tiles, i + 1>...}; }

	static function kernel(int64_t tiles, int columns) {
		using indices = std::make_integer_sequence<int, kind::width>;
		static constexpr functions with_one = all<1>(indices()), with_some = all<some>(indices());
		return tiles > some ? kind::template multiply<many, 1> : (tiles == some ? with_some : with_one)[columns - 1];
	}
};

template <class kind> const matmul *way(const ggml_tensor *matrix) {
	static const matmul_of<kind> way;
	return matrix->ne[0] % kind::part == 0 ? &way : nullptr;
}

} // namespace

const matmul *matmul_for(const ggml_tensor *matrix) {
	if (ggml_n_dims(matrix) != 2 || matrix->ne[1] % lanes != 0) {
		return nullptr;
	}
	if (matrix->view_src != nullptr && (matrix->ne[0] != matrix->view_src->ne[0] || matrix->view_offs % (lanes * matrix->nb[1]) != 0)) {
		return nullptr; // a part that is no whole tiles
	}
	switch (matrix->type) {
	case GGML_TYPE_F16: return way<floats<f16>>(matrix);
	case GGML_TYPE_BF16: return way<floats<bf16>>(matrix);
	case GGML_TYPE_Q4_0: return way<quants<q4_0>>(matrix);
	case GGML_TYPE_Q5_0: return way<quants<q5_0>>(matrix);
	case GGML_TYPE_Q8_0: return way<quants<q8_0>>(matrix);
	case GGML_TYPE_Q4_K: return way<quants<q4_K>>(matrix);
	case GGML_TYPE_Q5_K: return way<quants<q5_K>>(matrix);
	case GGML_TYPE_Q6_K: return way<quants<q6_K>>(matrix);
	default: return nullptr;
	}
}

} // namespace kernels

#endif
