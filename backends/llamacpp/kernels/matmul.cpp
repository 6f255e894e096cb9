#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)

#include "matmul.h"

#include <algorithm>

#include "formats.h"
#include "ggml-cpu-impl.h"

// The activations are rounded to 8 bits, 32 values of a column sharing a scale, and the products of bytes are summed
// exactly; sums of 16 or 32 are then scaled and added up as floats. What a column's result is does not depend on the
// columns beside it, nor on the number of threads.

namespace kernels {
namespace {

constexpr int width = 4;        // columns of a panel
constexpr int pair = 2;         // tiles of rows that are multiplied together
constexpr int part = 32;        // values of a column that share a scale
constexpr int chunk = 512;     // values of a row that are unpacked at a time: with their scales they stay in the L1 cache
constexpr size_t near = 1 << 20; // bytes of activations that stay in the L2 cache beside them

// Activations of some columns, rounded.
struct panel {
	int8_t value[part / quad][width][quad];
	float scale[width];
	float offset[width];      // sum of the values × scale
	int32_t start[2][width]; // -zero × the sum of the values, by the weights' groups
};

struct scratch {
	uint8_t value[chunk / quad][quad * lanes];
	float scale[chunk / 16][lanes];
	float offset[chunk / 32][lanes];
};

// Columns of an operand, over all of its dimensions but the first.
struct columns {
	const ggml_tensor *tensor;
	int64_t count() const { return ggml_nrows(tensor); }
	float *at(int64_t i) const {
		int64_t i1 = i % tensor->ne[1], i2 = i / tensor->ne[1] % tensor->ne[2], i3 = i / tensor->ne[1] / tensor->ne[2];
		return (float *) ((char *) tensor->data + i1 * tensor->nb[1] + i2 * tensor->nb[2] + i3 * tensor->nb[3]);
	}
};

// Rounds 32 activations of a column.
template <class format> void round_part(const float *from, panel &to, int column) {
	__m512 a = _mm512_loadu_ps(from), b = _mm512_loadu_ps(from + 16);
	float most = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
	float inverse = most > 0 ? 127 / most : 0;
	__m512i rounded[2] = {
		_mm512_cvtps_epi32(_mm512_mul_ps(a, _mm512_set1_ps(inverse))),
		_mm512_cvtps_epi32(_mm512_mul_ps(b, _mm512_set1_ps(inverse))),
	};
	int32_t sums[2];
	for (int h = 0; h < 2; h++) {
		int8_t value[16];
		_mm_storeu_si128((__m128i *) value, _mm512_cvtepi32_epi8(rounded[h]));
		for (int i = 0; i < 16; i += quad) {
			memcpy(to.value[(16 * h + i) / quad][column], value + i, quad);
		}
		sums[h] = _mm512_reduce_add_epi32(rounded[h]);
	}
	to.scale[column] = most / 127;
	to.offset[column] = most / 127 * (float) (sums[0] + sums[1]);
	to.start[0][column] = -format::zero * (format::group == 16 ? sums[0] : sums[0] + sums[1]);
	to.start[1][column] = -format::zero * sums[1];
}

// Adds the products of unpacked weights with the first n columns of a row of panels to out, or begins with 0.
template <class format, int tiles, int n> void multiply(const scratch *w, const panel *a, int parts, float *const *out, bool begin) {
	constexpr int groups = part / format::group, steps = format::group / quad;
	__m512 sum[tiles][n];
	for (int t = 0; t < tiles; t++) {
		for (int c = 0; c < n; c++) {
			sum[t][c] = begin ? _mm512_setzero_ps() : _mm512_loadu_ps(out[c] + t * lanes);
		}
	}
	for (int p = 0; p < parts; p++, a++) {
		for (int g = 0; g < groups; g++) {
			__m512i dot[tiles][n];
			for (int t = 0; t < tiles; t++) {
				for (int c = 0; c < n; c++) {
					dot[t][c] = format::zero ? _mm512_set1_epi32(a->start[g][c]) : _mm512_setzero_si512();
				}
			}
			for (int s = 0; s < steps; s++) {
				for (int c = 0; c < n; c++) {
					int32_t four;
					memcpy(&four, a->value[g * steps + s][c], sizeof four);
					for (int t = 0; t < tiles; t++) {
						__m512i weight = _mm512_loadu_si512(w[t].value[(p * groups + g) * steps + s]);
						dot[t][c] = _mm512_dpbusd_epi32(dot[t][c], weight, _mm512_set1_epi32(four));
					}
				}
			}
			for (int t = 0; t < tiles; t++) {
				__m512 scale = _mm512_loadu_ps(w[t].scale[p * groups + g]);
				for (int c = 0; c < n; c++) {
					__m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(dot[t][c]), _mm512_set1_ps(a->scale[c]));
					sum[t][c] = _mm512_fmadd_ps(scaled, scale, sum[t][c]);
				}
			}
		}
		if (!format::zero) {
			for (int t = 0; t < tiles; t++) {
				__m512 offset = _mm512_loadu_ps(w[t].offset[p]);
				for (int c = 0; c < n; c++) {
					sum[t][c] = _mm512_fnmadd_ps(offset, _mm512_set1_ps(a->offset[c]), sum[t][c]);
				}
			}
		}
	}
	for (int t = 0; t < tiles; t++) {
		for (int c = 0; c < n; c++) {
			_mm512_storeu_ps(out[c] + t * lanes, sum[t][c]);
		}
	}
}

template <class format> class matmul_of : public matmul {
	using packed = typename format::packed;
	static_assert(sizeof(packed) == lanes * sizeof(typename format::block), "packing must not take memory");

  public:
	void pack(const ggml_tensor *matrix, void *to, const void *data) const override {
		int64_t blocks = matrix->ne[0] / format::size;
		auto *tile = (packed *) to;
		auto *from = (const typename format::block *) data;
		for (int64_t i = 0; i < ggml_nrows(matrix) * blocks; i++) {
			int64_t row = i / blocks, block = i % blocks;
			format::pack(tile[row / lanes * blocks + block], from[i], (int) (row % lanes));
		}
	}

	void compute(const ggml_compute_params *params, ggml_tensor *op) const override {
		const ggml_tensor *matrix = op->src[0];
		columns from = {op->src[1]}, to = {op};
		const int64_t n = from.count(), panels = (n + width - 1) / width;
		const int64_t parts = matrix->ne[0] / part, tiles = matrix->ne[1] / lanes;
		auto *a = (panel *) params->wdata;
		for (int64_t i = params->ith; i < panels * parts; i += params->nth) {
			int64_t first = i / parts * width;
			for (int64_t c = first; c < std::min(n, first + width); c++) {
				round_part<format>(from.at(c) + i % parts * part, a[i], (int) (c - first));
			}
		}
		if (params->ith == 0) {
			ggml_threadpool_chunk_set(params->threadpool, params->nth);
		}
		ggml_barrier(params->threadpool);

		const int64_t share = std::max<int64_t>(1, tiles / (params->nth * 8 * pair)) * pair; // of the tiles, taken at a time
		const int64_t together = std::max<int64_t>(1, near / (parts * sizeof(panel)));
		for (int64_t turn = params->ith; turn * share < tiles; turn = ggml_threadpool_chunk_add(params->threadpool, 1)) {
			for (int64_t p = 0; p < panels; p += together) {
				for (int64_t t = turn * share, end = std::min(tiles, t + share); t < end; t += pair) {
					multiply_tiles(matrix, t, std::min<int64_t>(pair, end - t), a, p, std::min(panels, p + together), n, to);
				}
			}
		}
	}

  private:
	// Multiplies some tiles of weights with panels.
	static void multiply_tiles(const ggml_tensor *matrix, int64_t first_tile, int64_t tiles, const panel *a, int64_t first, int64_t end, int64_t n, columns to) {
		const int64_t values = matrix->ne[0], blocks = values / format::size, parts = values / part;
		scratch w[pair];
		for (int64_t k = 0; k < values; k += chunk) {
			int64_t length = std::min<int64_t>(chunk, values - k);
			for (int64_t t = 0; t < tiles; t++) {
				for (int64_t i = 0; i < length; i += format::size) {
					format::unpack(((const packed *) matrix->data)[(first_tile + t) * blocks + (k + i) / format::size],
						{w[t].value + i / quad, w[t].scale + i / format::group, w[t].offset + i / part});
				}
			}
			for (int64_t p = first; p < end; p++) {
				float *out[width];
				int some = (int) std::min<int64_t>(width, n - p * width);
				for (int c = 0; c < some; c++) {
					out[c] = to.at(p * width + c) + first_tile * lanes;
				}
				tiles == pair ? multiply_some<pair>(some, w, a + p * parts + k / part, (int) (length / part), out, k == 0)
					: multiply_some<1>(some, w, a + p * parts + k / part, (int) (length / part), out, k == 0);
			}
		}
	}

	template <int tiles> static void multiply_some(int n, const scratch *w, const panel *a, int parts, float *const *out, bool begin) {
		switch (n) {
		case 1: return multiply<format, tiles, 1>(w, a, parts, out, begin);
		case 2: return multiply<format, tiles, 2>(w, a, parts, out, begin);
		case 3: return multiply<format, tiles, 3>(w, a, parts, out, begin);
		default: return multiply<format, tiles, 4>(w, a, parts, out, begin);
		}
	}
};

template <class format> const matmul *way() {
	static const matmul_of<format> way;
	return &way;
}

} // namespace

const matmul *matmul_for(const ggml_tensor *matrix) {
	if (ggml_n_dims(matrix) != 2 || matrix->ne[1] % lanes != 0) {
		return nullptr;
	}
	switch (matrix->type) {
	case GGML_TYPE_Q4_0: return way<q4_0>();
	case GGML_TYPE_Q5_0: return way<q5_0>();
	case GGML_TYPE_Q8_0: return way<q8_0>();
	case GGML_TYPE_Q4_K: return way<q4_K>();
	case GGML_TYPE_Q5_K: return way<q5_K>();
	case GGML_TYPE_Q6_K: return way<q6_K>();
	default: return nullptr;
	}
}

size_t matmul_work_size(const ggml_tensor *op) {
	return (columns{op->src[1]}.count() + width - 1) / width * (op->src[0]->ne[0] / part) * sizeof(panel);
}

} // namespace kernels

#endif
