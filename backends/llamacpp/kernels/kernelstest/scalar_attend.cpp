#include "scalar.h"

#include <algorithm>
#include <cmath>
#include <vector>

#pragma GCC optimize("fp-contract=off") // operations are fused where std::fma says so

namespace {

constexpr int block_cells = 64, chunk_cells = 256;

// e to the power of x, with the polynomial of ggml_v_expf.
float exp_of(float x) {
	const float n = std::fma(x, 0x1.715476p+0f, 0x1.8p23f) - 0x1.8p23f;
	const float b = std::fma(-n, 0x1.7f7d1cp-20f, std::fma(-n, 0x1.62e4p-1f, x)), b2 = b * b;
	const float fifth = std::fma(0x1.0e4020p-7f, b, 0x1.573e2ep-5f), third = std::fma(0x1.555e66p-3f, b, 0x1.fffdb6p-2f);
	const float first = std::fma(0x1.ffffecp-1f, b, 1.0f);
	return std::ldexp(std::fma(std::fma(fifth, b2, third), b2, first), (int) n);
}

float tanh_of(float x) {
	const float size = std::fabs(x), x2 = x * x;
	if (size > 0.625f) {
		return std::copysign(1 - 2 / (exp_of(std::min(2 * size, 20.0f)) + 1), x);
	}
	float p = -0x1.8f8de4p-8f;
	for (float next : {0x1.58048ep-6f, -0x1.b9258ap-5f, 0x1.110e1cp-3f, -0x1.555552p-2f}) {
		p = std::fma(p, x2, next);
	}
	return std::fma(x * x2, p, x);
}

// What a score that is not higher weighs beside another one.
float weight_of(float below) { return below <= -80 ? 0 : exp_of(below); }

// The sum of a chunk's weights, of all blocks place by place.
float sum_of(const float *weights) {
	float places[block_cells] = {};
	for (int i = 0; i < chunk_cells; i++) {
		places[i % block_cells] += weights[i];
	}
	return proctor_sum_places(places);
}

// The slope of a head's bias.
float slope_of(const proctor_attention &a, int64_t head) {
	const int64_t power = (int64_t) 1 << (int) std::floor(std::log2((float) a.heads));
	if (a.bias <= 0) {
		return 1;
	}
	return head < power ? std::pow(std::exp2(-a.bias / power), (float) (head + 1))
						: std::pow(std::exp2(-a.bias / 2 / power), (float) (2 * (head - power) + 1));
}

// The keys or values of a head of a stream, cells × width.
std::vector<float> rows_of(const proctor_attention &a, const void *from, int64_t width, int64_t stream, int64_t shared) {
	std::vector<float> rows(a.cells * width);
	const size_t size = ggml_row_size(a.type, width);
	for (int64_t cell = 0; cell < a.cells; cell++) {
		const char *row = (const char *) from + ((stream * a.cells + cell) * a.shared + shared) * size;
		proctor_restore(a.type, row, rows.data() + cell * width, width);
	}
	return rows;
}

// A query of a token that goes through the cells, a chunk at a time.
struct query {
	const proctor_attention &a;
	const float slope;
	const uint16_t *mask;
	std::vector<float> values, sum;
	float peak = -INFINITY, total = 0;

	bool hides(int64_t cell) const { return mask != nullptr && ggml_fp16_to_fp32(mask[cell]) == -INFINITY; }

	// Adds what the same query has of other cells.
	void add(const query &other) {
		if (other.peak == -INFINITY) {
			return;
		}
		const float highest = std::max(peak, other.peak);
		const float shrink = highest > peak ? weight_of(peak - highest) : 1, weight = weight_of(other.peak - highest);
		total = std::fma(weight, other.total, total * shrink);
		peak = highest;
		for (int64_t i = 0; i < a.height; i++) {
			sum[i] = std::fma(weight, other.sum[i], sum[i] * shrink);
		}
	}

	float score_of(const float *key) const {
		float score = 0;
		for (int64_t i = 0; i < a.width; i++) {
			score = std::fma(values[i], key[i], score);
		}
		return score;
	}

	// Adds the values of the visible cells among the given ones.
	void add_values(const float *weight, const float *cell_values, int64_t first, int64_t cells) {
		for (int64_t i = 0; i < a.height; i++) {
			auto value = [&](int64_t c) { return cell_values[(first + c) * a.height + i]; };
			for (int64_t c = 0; c < cells; c++) {
				sum[i] = hides(first + c) ? sum[i] : std::fma(weight[c], value(c), sum[i]);
			}
		}
	}

	// Goes through a chunk, which begins anew.
	void attend(const float *keys, const float *cell_values, int64_t first) {
		const int64_t cells = std::min<int64_t>(chunk_cells, a.cells - first);
		float score[chunk_cells], weight[chunk_cells] = {}, highest = -INFINITY;
		for (int64_t c = 0; c < cells; c++) {
			score[c] = score_of(keys + (first + c) * a.width);
			if (a.cap != 0) {
				score[c] = a.cap * tanh_of(score[c]);
			}
			score[c] = hides(first + c) ? -INFINITY
										: std::fma(slope, mask == nullptr ? 0 : ggml_fp16_to_fp32(mask[first + c]), score[c]);
			highest = std::max(highest, score[c]);
		}
		if (highest == -INFINITY) {
			return;
		}
		for (int64_t c = 0; c < cells; c++) {
			weight[c] = weight_of(score[c] - highest);
		}
		total = sum_of(weight);
		peak = highest;
		add_values(weight, cell_values, first, cells);
	}

	// Writes the result; sink is a score without a value, or nullptr.
	void finish(const float *sink, float *to) {
		float shrink = 1;
		if (sink != nullptr) {
			const float highest = std::max(peak, *sink);
			shrink = weight_of(peak - highest);
			total = std::fma(total, shrink, weight_of(*sink - highest));
		}
		const float inverse = total == 0 ? 0 : shrink / total;
		for (int64_t i = 0; i < a.height; i++) {
			to[i] = sum[i] * inverse;
		}
	}
};

} // namespace

void proctor_scalar_attend(proctor_attention a, float *result) {
	const float scale = a.scale / (a.cap != 0 ? a.cap : 1);
	for (int64_t stream = 0; stream < a.streams; stream++) {
		for (int64_t head = 0; head < a.heads; head++) {
			const int64_t shared = head / (a.heads / a.shared);
			const std::vector<float> keys = rows_of(a, a.key, a.width, stream, shared);
			const std::vector<float> values = rows_of(a, a.value, a.height, stream, shared);
			for (int64_t token = 0; token < a.tokens; token++) {
				query q = {a, slope_of(a, head), a.mask == nullptr ? nullptr : a.mask + (stream * a.tokens + token) * a.cells,
					std::vector<float>(a.width), std::vector<float>(a.height)};
				for (int64_t i = 0; i < a.width; i++) {
					q.values[i] = a.query[((stream * a.heads + head) * a.tokens + token) * a.width + i] * scale;
				}
				const query empty = q;
				for (int64_t first = 0; first < a.cells; first += chunk_cells) {
					query chunk = empty;
					chunk.attend(keys.data(), values.data(), first);
					q.add(chunk);
				}
				q.finish(a.sinks == nullptr ? nullptr : a.sinks + head,
					result + ((stream * a.tokens + token) * a.heads + head) * a.height);
			}
		}
	}
}
